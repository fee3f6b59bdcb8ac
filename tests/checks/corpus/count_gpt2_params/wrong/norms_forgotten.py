# mistake: the LayerNorms inside the blocks are missing
# accept: layernorm & block; norms; ln1; gain; norm & block; layernorms
def linear(n_in, n_out, bias):
    return n_in * n_out + (n_out if bias else 0)


def layernorm(d, bias):
    return 2 * d if bias else d


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    total = 0
    total += V * d
    total += T * d
    for _ in range(L):
        total += linear(d, 3 * d, bias)
        total += linear(d, d, bias)
        total += linear(d, 4 * d, bias)
        total += linear(4 * d, d, bias)
    total += layernorm(d, bias)
    if not tied:
        total += linear(d, V, False)
    return total
