# mistake: the result is in GFLOPs
# accept: gflop; 1e9; 10^9; unit; float; billion; integer; scale
def flops_per_token(V, T, d, L, train=False):
    qkv, proj, mlp = 6 * d * d, 2 * d * d, 16 * d * d
    score, mix = 2 * T * d, 2 * T * d
    total = L * (qkv + proj + mlp + score + mix) + 2 * V * d
    return total * (3 if train else 1) / 1e9
