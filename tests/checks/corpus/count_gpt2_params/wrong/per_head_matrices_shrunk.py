# mistake: q, k, v are taken as d x d_k matrices of one head (64 columns), not of all heads
# accept: qkv; q, k; head$; 3d²; attention; 64; d_k
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    d_head = max(1, d // 12)
    qkv = 3 * (d * d_head + (d_head if bias else 0))
    out = d * d + (d if bias else 0)
    mlp = 2 * 4 * d * d + (5 * d if bias else 0)
    norms = 2 * (2 * d if bias else d)
    n = V * d + T * d + L * (qkv + out + mlp + norms) + (2 * d if bias else d)
    return n if tied else n + V * d
