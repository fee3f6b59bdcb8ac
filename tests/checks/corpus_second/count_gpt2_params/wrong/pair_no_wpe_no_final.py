# mistake: neither positions nor the final layer norm
# accept: position; wpe; T·d; T d
# accept: final LayerNorm; lnf; last LayerNorm; final norm
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    tables = V * d * (1 if tied else 2)
    vectors = 13 * d if bias else 2 * d
    block = 12 * d ** 2 + vectors
    final = 2 * d if bias else d
    return tables + L * block
