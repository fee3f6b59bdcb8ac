# mistake: the token table V d is not counted (non-embedding count)
# accept: token table; token embedding; wte; v*d; V d; Vd; vocab; embedding; non embedding
def linear(n_in, n_out, bias):
    return n_in * n_out + (n_out if bias else 0)


def layernorm(d, bias):
    return 2 * d if bias else d


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    total = 0

    total += T * d                       # wpe
    for _ in range(L):
        total += layernorm(d, bias)
        total += linear(d, 3 * d, bias)
        total += linear(d, d, bias)
        total += layernorm(d, bias)
        total += linear(d, 4 * d, bias)
        total += linear(4 * d, d, bias)
    total += layernorm(d, bias)
    if not tied:
        total += linear(d, V, False)
    return total
