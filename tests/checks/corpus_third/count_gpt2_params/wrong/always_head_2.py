# mistake: head counted when tied as well
# accept: tied & head; tied & counted; twice; tied & ignored
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    weights = 12 * d**2 + 2 * d
    biases = 3 * d + d + 4 * d + d + 2 * d
    n = L * weights + d
    if bias:
        n += L * biases + d
    n += (V + T) * d
    n += d * V
    return n
