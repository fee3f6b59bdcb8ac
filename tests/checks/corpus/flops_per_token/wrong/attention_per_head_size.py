# mistake: attention is counted for one head of width 64 instead of all heads together
# accept: head$; 64; d_k; all heads; width; attention
def flops_per_token(V, T, d, L, train=False):
    d_k = 64
    attn_matrix = 2 * T * d_k + 2 * T * d_k
    per_layer = 2 * 12 * d * d + attn_matrix
    out = L * per_layer + 2 * d * V
    if train:
        out = out * 3
    return out
