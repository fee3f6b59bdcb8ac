# mistake: the MLP's second matrix is left out, 8 d² per block
# accept: mlp; w_proj; 12d²; 8d²; second matrix; block; 12ld²; feed forward
def flops_per_token(V, T, d, L, train=False):
    flops = lambda m, n: 2 * m * n
    blk = flops(d, 3 * d) + flops(d, d) + flops(d, 4 * d)
    attention = flops(d, T) + flops(T, d)
    count = L * (blk + attention) + flops(d, V)
    return count * (3 if train else 1)
