def attention_share(V, T, d, L):
    attn = 4 * T * d * L
    weights = 24 * L * d**2 + 2 * V * d
    return attn / (attn + weights)
