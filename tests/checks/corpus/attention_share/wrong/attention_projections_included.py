# mistake: the q, k, v and output projections are counted as attention too
# accept: projection; 4d²; qkv; w_o; w_qkv; weights; 8d²
def attention_share(V, T, d, L):
    attn = L * (8 * d * d + 4 * T * d)
    mlp = L * 16 * d * d
    return attn / (attn + mlp + 2 * V * d)
