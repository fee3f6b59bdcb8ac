# mistake: three LayerNorms per block: the final one is counted in every block
# accept: final layernorm; last layernorm; lnf; ln_f; final norm; three norm; third layernorm; three layernorm; layernorm & each; layernorm & every; layernorm & per block; layernorm & per layer
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    k = 2 if bias else 1
    norm = k * d
    lin = lambda i, o: i * o + (k - 1) * o
    block = norm + lin(d, 3 * d) + lin(d, d) + norm + lin(d, 4 * d) + lin(4 * d, d) + norm
    return V * d + T * d + block * L + (0 if tied else V * d)
