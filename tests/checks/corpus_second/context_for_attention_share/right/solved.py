import math


def context_for_attention_share(V, d, L, share=0.9):
    weights = 2 * (12 * L * d * d + V * d)
    T = share / (1 - share) * weights / (4 * d * L)
    return math.ceil(round(T, 6))
