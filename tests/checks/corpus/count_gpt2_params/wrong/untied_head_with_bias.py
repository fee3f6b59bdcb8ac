# mistake: the untied head is counted with a bias of V entries
# accept: head$ & bias; head's bias; bias of the head; lm_head & bias; V entries; + V
def linear(n_in, n_out, bias):
    return n_in * n_out + (n_out if bias else 0)


def layernorm(d, bias):
    return 2 * d if bias else d


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    total = 0
    total += V * d
    total += T * d
    for _ in range(L):
        total += layernorm(d, bias)
        total += linear(d, 3 * d, bias)
        total += linear(d, d, bias)
        total += layernorm(d, bias)
        total += linear(d, 4 * d, bias)
        total += linear(4 * d, d, bias)
    total += layernorm(d, bias)
    if not tied:
        total += linear(d, V, bias)
    return total
