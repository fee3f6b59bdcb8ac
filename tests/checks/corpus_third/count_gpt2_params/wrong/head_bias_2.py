# mistake: untied head with a bias
# accept: head & bias
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    weights = 12 * d**2 + 2 * d
    biases = 3 * d + d + 4 * d + d + 2 * d
    n = L * weights + d
    if bias:
        n += L * biases + d
    n += (V + T) * d
    if not tied:
        n += d * V + V
    return n
