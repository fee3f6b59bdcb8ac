def flops_per_token(V, T, d, L, train=False):
    forward = 2 * (12 * L * d * d + V * d) + 4 * T * d * L
    return 3 * forward if train else forward
