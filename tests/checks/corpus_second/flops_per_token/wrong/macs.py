# mistake: multiply-adds counted as one
# accept: multiply-add; two FLOPs; factor 2; MAC; 2 FLOPs; 2 per; half
def flops_per_token(V, T, d, L, train=False):
    weights = L * (3 * d * d + d * d + 4 * d * d + 4 * d * d) + V * d
    attention = L * (2 * T * d + 2 * T * d)
    forward = weights + attention // 2
    return 3 * forward if train else forward
