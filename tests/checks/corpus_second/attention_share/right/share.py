def attention_share(V, T, d, L):
    attention = 4 * T * d * L
    weights = 2 * (12 * L * d ** 2 + V * d)
    return attention / (attention + weights)
