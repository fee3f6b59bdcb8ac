# mistake: the embeddings are given a bias of d each
# accept: embedding & bias; table & bias; wte; wpe; tables; embedding
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    def layer(rows, cols):
        return rows * cols + (cols if bias else 0)
    N = layer(V, d) + layer(T, d)
    N += L * (layer(d, 3 * d) + layer(d, d) + layer(d, 4 * d) + layer(4 * d, d))
    N += (2 * L + 1) * (2 * d if bias else d)
    return N + (0 if tied else V * d)
