# mistake: one of the MLP's matrices is forgotten: 8d² in a block
# accept: MLP; 8d; 4d²; 4d^2; second; one matrix; w_proj; w_fc; 12d
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    tables = V * d * (1 if tied else 2) + T * d
    vectors = 13 * d if bias else 2 * d
    block = 8 * d ** 2 + vectors
    final = 2 * d if bias else d
    return tables + L * block + final
