# mistake: the first MLP bias is counted with d entries, not 4d
# accept: b_fc; 4d; bias & mlp; mlp bias; fc bias; hidden bias
def linear(n_in, n_out, bias):
    return n_in * n_out + (n_out if bias else 0)


def layernorm(d, bias):
    return 2 * d if bias else d


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    total = 0
    total += V * d                       # wte
    total += T * d                       # wpe
    for _ in range(L):
        total += layernorm(d, bias)
        total += linear(d, 3 * d, bias)
        total += linear(d, d, bias)
        total += layernorm(d, bias)
        total += d * 4 * d + (d if bias else 0)
        total += linear(4 * d, d, bias)
    total += layernorm(d, bias)
    if not tied:
        total += linear(d, V, False)
    return total
