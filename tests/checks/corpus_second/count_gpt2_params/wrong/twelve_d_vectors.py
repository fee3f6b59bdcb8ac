# mistake: 12d instead of 13d
# accept: 13d; 12d; b_o; b_proj; bias & d
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    tables = V * d * (1 if tied else 2) + T * d
    vectors = 12 * d if bias else 2 * d
    block = 12 * d ** 2 + vectors
    final = 2 * d if bias else d
    return tables + L * block + final
