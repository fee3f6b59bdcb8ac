# mistake: bias=False forgets the bias of the final LayerNorm
# accept: final layernorm; last layernorm; lnf; ln_f; final norm
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = V * d + T * d + L * (12 * d**2 + 13 * d) + 2 * d
    if not bias:
        n -= L * 11 * d
    if not tied:
        n += V * d
    return n
