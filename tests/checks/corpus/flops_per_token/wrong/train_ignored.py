# mistake: the argument train is ignored
# accept: train; three times; backward
def flops_per_token(V, T, d, L, train=False):
    flops = lambda m, n: 2 * m * n
    blk = flops(d, 3 * d) + flops(d, d) + flops(d, 4 * d) + flops(4 * d, d)
    attention = flops(d, T) + flops(T, d)
    n_params = L * (blk + attention) + flops(d, V)
    return n_params
