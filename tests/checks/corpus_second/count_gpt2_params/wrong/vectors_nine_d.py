# mistake: only the linear biases (9d) are counted in a block, no layer norms
# accept: LayerNorm; norms; 4d; gain
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    tables = V * d * (1 if tied else 2) + T * d
    vectors = 9 * d if bias else 0
    block = 12 * d ** 2 + vectors
    final = 2 * d if bias else d
    return tables + L * block + final
