# mistake: rounded down
# accept: round; ceil; smallest; one too; down
import math


def context_for_attention_share(V, d, L, share=0.9):
    w = 2 * (12 * L * d * d + V * d)
    return math.floor(share / (1 - share) * w / (4 * d * L) - 1e-9)
