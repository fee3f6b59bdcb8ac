# mistake: in training only the weights' part is tripled, not the attention term
# accept: train & attention; attention & three; attention & 3; tripled; train
def flops_per_token(V, T, d, L, train=False):
    weights = 2 * (12 * L * d * d + V * d)
    if train:
        weights *= 3
    return weights + 4 * T * d * L
