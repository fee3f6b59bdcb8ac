# mistake: attention counted once, but the total is that of training (3x)
# accept: train; three; factor 3; total; denominator
def total_flops(V, T, d, L):
    return 3 * (2 * (12 * L * d * d + V * d) + 4 * T * L * d)


def attention_share(V, T, d, L):
    return 4 * T * L * d / total_flops(V, T, d, L)
