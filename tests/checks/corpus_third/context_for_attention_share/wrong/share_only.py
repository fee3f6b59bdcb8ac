# mistake: share times the weights
# accept: 1 - s; s / (1; whole; weights & share; ratio; 1 - share
import math


def context_for_attention_share(V, d, L, share=0.9):
    w = 2 * (12 * L * d * d + V * d)
    return math.ceil(share * w / (4 * d * L) - 1e-9)
