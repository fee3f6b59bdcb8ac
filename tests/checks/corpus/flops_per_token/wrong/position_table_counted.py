# mistake: the position table is counted as a matrix that multiplies
# accept: position; lookup; wpe; embedding; table
def flops_per_token(V, T, d, L, train=False):
    forward = 2 * (12 * L * d * d + V * d + T * d) + 4 * T * d * L
    return 3 * forward if train else forward
