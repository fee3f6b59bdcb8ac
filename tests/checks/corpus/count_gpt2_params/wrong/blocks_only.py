# mistake: only the blocks' matrices, 12 L d², are counted
# accept: 12ld²; 12 l d²; only the matrices; embedding & bias; approximat; only the blocks; matrices only; blocks only; embeddings; token table; 12d²
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = L * 12 * d**2
    return n
