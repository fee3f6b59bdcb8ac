# mistake: the two LayerNorms of a block are added once, outside the loop over the blocks
# accept: norm & block; norm & once; ln1; norms; norm & per layer; layernorm & block; layernorm & once; layernorm & layer
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    embeddings = (V + T) * d
    per_norm = d * (2 if bias else 1)
    attention = d * 3 * d + d * d
    feedforward = d * 4 * d + 4 * d * d
    if bias:
        attention += 3 * d + d
        feedforward += 4 * d + d
    layers = L * (attention + feedforward) + 2 * per_norm
    head = 0 if tied else V * d
    return embeddings + layers + per_norm + head
