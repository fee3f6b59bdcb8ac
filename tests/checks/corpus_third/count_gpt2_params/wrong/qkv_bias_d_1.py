# mistake: bias of qkv counted as d
# accept: b_qkv; 3d; bias & q; bias & quer
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    b = 1 if bias else 0
    emb = V * d + T * d
    ln = d + b * d
    attn = d * 3 * d + b * d + d * d + b * d
    mlp = d * 4 * d + b * 4 * d + 4 * d * d + b * d
    block = 2 * ln + attn + mlp
    total = emb + L * block + ln
    if not tied:
        total += V * d
    return total
