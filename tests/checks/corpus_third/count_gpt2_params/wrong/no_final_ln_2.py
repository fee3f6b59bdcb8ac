# mistake: final layer norm forgotten
# accept: final layernorm; final norm; ln_f; lnf; last layernorm; last norm
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    weights = 12 * d**2 + 2 * d
    biases = 3 * d + d + 4 * d + d + 2 * d
    n = L * weights
    if bias:
        n += L * biases
    n += (V + T) * d
    if not tied:
        n += d * V
    return n
