# mistake: an extra block is counted (range goes to L inclusive)
# accept: one block; extra block; L + 1; too many; off by one; block too
def per_layer(d, bias):
    attention = 4 * d * d + (4 * d if bias else 0)
    ff = 8 * d * d + (5 * d if bias else 0)
    return attention + ff + 2 * (d + (d if bias else 0))


def blocks(L, d, bias):
    return 0 if L < 0 else per_layer(d, bias) + blocks(L - 1, d, bias)


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    ends = (V + T) * d if tied else (2 * V + T) * d
    return ends + blocks(L, d, bias) + (2 * d if bias else d)
