# mistake: the share of the weights
# accept: share of the weights; 1 - ; rest; complement; remaining; weights instead; weights' share; 1 −
def attention_share(V, T, d, L):
    attention = 4 * T * d * L
    weights = 2 * (12 * L * d ** 2 + V * d)
    return weights / (attention + weights)
