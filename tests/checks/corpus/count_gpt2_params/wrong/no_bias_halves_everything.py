# mistake: with bias=False the d-terms are dropped altogether, gains included
# accept: gain; gamma; layernorm
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    dd = 12 * L * d * d
    tables = d * (V + T + (V if not tied else 0))
    if bias:
        return dd + tables + 13 * L * d + 2 * d
    else:
        return dd + tables
