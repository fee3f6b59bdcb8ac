# mistake: biases and norms are counted as well, not only matmuls
# accept: bias; norm; matmul
def flops_per_token(V, T, d, L, train=False):
    per_block = 12 * d**2 + 13 * d
    f = 2 * (L * per_block + 2 * d + V * d) + 4 * T * d * L
    return f * 3 if train else f
