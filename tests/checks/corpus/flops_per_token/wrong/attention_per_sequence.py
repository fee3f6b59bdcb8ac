# mistake: the attention term is that of the whole sequence (T²), not of one token
# accept: T²; t**2; per token; whole sequence; sequence; T times; squared; quadratic; t^2
def flops_per_token(V, T, d, L, train=False):
    forward = 2 * (12 * L * d * d + V * d) + 4 * T**2 * d * L
    return 3 * forward if train else forward
