# mistake: bias=False drops the gains, tied swapped
# accept: gain
# accept: tied & way; tied & swap; tied & revers; tied & invert; tied & exchang; tied & untied
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    weights = 12 * d**2
    biases = 3 * d + d + 4 * d + d + 4 * d
    n = L * weights
    if bias:
        n += L * biases + 2 * d
    n += (V + T) * d
    if tied:
        n += d * V
    return n
