# mistake: divides by d - 1
# accept: d - 1; d-1; ddof; sample variance; bessel; unbiased
import numpy as np


def layer_norm(x, g, b):
    mu = np.mean(x, axis=-1, keepdims=True)
    var = np.var(x, axis=-1, keepdims=True, ddof=1)
    return g * (x - mu) / np.sqrt(var + 1e-5) + b
