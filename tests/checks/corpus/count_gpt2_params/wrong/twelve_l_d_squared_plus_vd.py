# mistake: the rule of thumb 12 L d² + V d, without positions, biases and norms
# accept: approximat; rule of thumb; matrices only; only the matrices; only matrices; position & bias; norm & bias; 12ld²; biases & norm; biases & position
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    head = 0 if tied else V * d
    return 12 * L * d**2 + V * d + head
