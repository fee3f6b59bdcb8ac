# mistake: the share is given in per cent
# accept: percent; per cent; 100; %; fraction; between 0 and 1
def flops_per_token(V, T, d, L):
    return 24 * L * d * d + 2 * V * d + 4 * T * d * L


def attention_share(V, T, d, L):
    with_attention = flops_per_token(V, T, d, L)
    without = flops_per_token(V, 0, d, L)
    return 100 * (1 - without / with_attention)
