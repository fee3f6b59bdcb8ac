# mistake: d - 1, and eps outside the root
# accept: d - 1; d-1; ddof; sample variance; bessel; unbiased
# accept: eps & outside; eps & after the root; eps & standard deviation; eps & root; eps & std
import numpy as np


def layer_norm(x, g, b):
    mu = np.mean(x, axis=-1, keepdims=True)
    var = np.std(x, axis=-1, keepdims=True, ddof=1)
    return g * (x - mu) / (var + 1e-5) + b
