# mistake: weights counted without the factor 2
# accept: factor 2; 2 flops; multiply; two flops; half; 2; twice
def attention_share(V, T, d, L):
    attn = 4 * T * d * L
    weights = 12 * L * d**2 + V * d
    return attn / (attn + weights)
