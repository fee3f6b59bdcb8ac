# mistake: half of the matrix, as causal
# accept: causal; half; full; T/2; T / 2
def matmul(m, k, n):
    return 2 * m * k * n


def flops_per_token(V, T, d, L, train=False):
    block = matmul(1, d, 3 * d) + (matmul(1, d, T) + matmul(1, T, d)) // 2 + matmul(1, d, d)
    block += matmul(1, d, 4 * d) + matmul(1, 4 * d, d)
    total = L * block + matmul(1, d, V)
    if train:
        total *= 3
    return total
