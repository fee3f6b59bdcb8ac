# mistake: the count is a float
# accept: float; integer; int; type
import numpy as np


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    # Python ints all the way, np.prod could overflow for GPT-3
    matrices = [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)]
    weights = sum(a * b for a, b in matrices)
    linear_biases = sum(b for _, b in matrices) if bias else 0
    norms = 2 * (d + (d if bias else 0))
    pars = weights + linear_biases + norms
    out = 0 if tied else V * d
    return np.float64(0) + V * d + T * d + L * pars + norms // 2 + out
