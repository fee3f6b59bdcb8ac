from collections import Counter


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    c = Counter()
    c["embedding"] = V * d + T * d
    c["weights"] = L * (3 * d * d + d * d + 2 * 4 * d * d)
    c["gains"] = (2 * L + 1) * d
    if bias:
        c["biases"] = L * (3 * d + d + 4 * d + d) + (2 * L + 1) * d
    if not tied:
        c["head"] = d * V
    return c.total()
