# mistake: bias=False leaves the final layer norm's bias
# accept: final LayerNorm; lnf; last LayerNorm; final norm
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    tables = V * d * (1 if tied else 2) + T * d
    vectors = 13 * d if bias else 2 * d
    block = 12 * d ** 2 + vectors
    final = 2 * d
    return tables + L * block + final
