# mistake: the first MLP bias is counted with d entries, not 4d
# accept: b_fc; 4d; bias & mlp; mlp bias; fc bias; hidden bias
def linear(n_in, n_out, bias):
    return n_in * n_out + (n_out if bias else 0)


def LN(d, bias):
    return 2 * d if bias else d


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    acc = 0
    acc += V * d
    acc += T * d
    for _ in range(L):
        acc += LN(d, bias)
        acc += linear(d, 3 * d, bias)
        acc += linear(d, d, bias)
        acc += LN(d, bias)
        acc += d * 4 * d + (d if bias else 0)
        acc += linear(4 * d, d, bias)
    acc += LN(d, bias)
    if not tied:
        acc += linear(d, V, False)
    return acc
