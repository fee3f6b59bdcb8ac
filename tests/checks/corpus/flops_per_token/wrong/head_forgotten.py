# mistake: the head's matmul is not counted (tied, therefore taken as free)
# accept: head$; V d; Vd; 2vd; logits
def flops_per_token(V, T, d, L, train=False):
    flops = lambda m, n: 2 * m * n
    blk = flops(d, 3 * d) + flops(d, d) + flops(d, 4 * d) + flops(4 * d, d)
    attention = flops(d, T) + flops(T, d)
    total = L * (blk + attention)
    return total * (3 if train else 1)
