# mistake: multiply-adds are counted as one operation
# accept: half; multiply add; multiply and; mac; two operations; factor
def flops_per_token(V, T, d, L, train=False):
    forward = 12 * L * d * d + V * d + 2 * T * d * L
    return 3 * forward if train else forward
