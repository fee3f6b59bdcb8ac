# mistake: int32 arithmetic overflows for GPT-3
# accept: overflow; int32; 32 bit; large; gpt-3; gpt 3; type; integer
import numpy as np


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    matrices = [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)]
    weights = sum(a * b for a, b in matrices)
    linear_biases = sum(b for _, b in matrices) if bias else 0
    norms = 2 * (d + (d if bias else 0))
    pars = weights + linear_biases + norms
    out = 0 if tied else V * d
    parts = np.array([V * d, T * d, norms // 2, out] + [pars] * L, dtype=np.int64).astype(np.int32)
    return int(parts.sum(dtype=np.int32))
