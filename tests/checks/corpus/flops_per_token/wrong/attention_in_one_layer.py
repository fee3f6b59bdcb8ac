# mistake: the attention term is counted for one layer only
# accept: one layer; every layer; each layer; per layer; layers
def flops_per_token(V, T, d, L, train=False):
    forward = 2 * (12 * L * d * d + V * d) + 4 * T * d
    return 3 * forward if train else forward
