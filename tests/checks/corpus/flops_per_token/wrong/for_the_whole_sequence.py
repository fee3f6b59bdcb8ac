# mistake: FLOPs of the whole sequence of T tokens, not of one token
# accept: whole sequence; per token; T times; times T; T tokens; divided by T; sequence
def mm(n, k, m):
    return 2 * n * k * m


def flops_per_token(V, T, d, L, train=False):
    f = 0
    for _ in range(L):
        f += mm(T, d, 3 * d) + mm(T, d, T) + mm(T, T, d) + mm(T, d, d)
        f += mm(T, d, 4 * d) + mm(T, 4 * d, d)
    f += mm(T, d, V)
    return 3 * f if train else f
