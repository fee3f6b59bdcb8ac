# mistake: sample variance
# accept: d - 1; d-1; ddof; sample variance; population; Bessel
import numpy as np


def layer_norm(x, g, b):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True, ddof=1)
    return g * (x - mean) / np.sqrt(var + 1e-5) + b
