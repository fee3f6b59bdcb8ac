# mistake: bias=False changes nothing
# accept: bias=False; bias & ignored; bias & False; bias & no effect; bias & drop; without bias; bias & stay
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    tables = V * d * (1 if tied else 2) + T * d
    vectors = 13 * d
    block = 12 * d ** 2 + vectors
    final = 2 * d
    return tables + L * block + final
