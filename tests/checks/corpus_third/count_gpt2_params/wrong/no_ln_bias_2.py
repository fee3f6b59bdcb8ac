# mistake: biases of the layer norms forgotten
# accept: layernorm & bias; norm & bias
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    weights = 12 * d**2 + 2 * d
    biases = 3 * d + d + 4 * d + d
    n = L * weights + d
    if bias:
        n += L * biases
    n += (V + T) * d
    if not tied:
        n += d * V
    return n
