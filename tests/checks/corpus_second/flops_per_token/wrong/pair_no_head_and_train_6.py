# mistake: no head and training 6 times
# accept: head; V·d; Vd
# accept: three; training; 3; 6; backward; twice
def matmul(m, k, n):
    return 2 * m * k * n


def flops_per_token(V, T, d, L, train=False):
    block = matmul(1, d, 3 * d) + matmul(1, d, T) + matmul(1, T, d) + matmul(1, d, d)
    block += matmul(1, d, 4 * d) + matmul(1, 4 * d, d)
    total = L * block
    if train:
        total *= 6
    return total
