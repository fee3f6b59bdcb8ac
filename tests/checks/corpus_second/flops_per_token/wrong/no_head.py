# mistake: the head is left out
# accept: head; V·d; V d; Vd
def matmul(m, k, n):
    return 2 * m * k * n


def flops_per_token(V, T, d, L, train=False):
    block = matmul(1, d, 3 * d) + matmul(1, d, T) + matmul(1, T, d) + matmul(1, d, d)
    block += matmul(1, d, 4 * d) + matmul(1, 4 * d, d)
    total = L * block
    if train:
        total *= 3
    return total
