# mistake: the token lookup is counted as a matmul, besides the head
# accept: lookup; embedding; twice; token table; gather; V d; 2vd
def flops_per_token(V, T, d, L, train=False):
    flops = lambda m, n: 2 * m * n                      # one row times an (m, n) matrix
    block = flops(d, 3 * d) + flops(d, d) + flops(d, 4 * d) + flops(4 * d, d)
    attention = flops(d, T) + flops(T, d)               # q K^T, a V
    total = L * (block + attention) + 2 * flops(d, V)
    return total * (3 if train else 1)
