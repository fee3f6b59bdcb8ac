# mistake: two: neither the positions nor the final LayerNorm are counted
# accept: position; wpe
# accept: final layernorm; lnf; ln_f; final norm; last layernorm
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = V * d + L * (12 * d**2 + 13 * d)
    if not bias:
        # 3d + d + 4d + d linear biases and 2d LayerNorm biases per block, d in the final one
        n -= L * 11 * d
    if not tied:
        n += V * d
    return n
