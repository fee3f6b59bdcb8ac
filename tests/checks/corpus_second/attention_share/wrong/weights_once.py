# mistake: weights without the factor 2
# accept: multiply-add; factor 2; factor of 2; two FLOPs; half; 2 FLOPs; twice; doubled; weights & once
def attention_share(V, T, d, L):
    attention = 4 * T * d * L
    weights = (12 * L * d ** 2 + V * d)
    return attention / (attention + weights)
