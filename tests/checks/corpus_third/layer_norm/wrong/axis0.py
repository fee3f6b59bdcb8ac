# mistake: axis 0
# accept: axis
import numpy as np


def layer_norm(x, g, b):
    mu = np.mean(x, axis=0, keepdims=True)
    var = np.var(x, axis=0, keepdims=True)
    return g * (x - mu) / np.sqrt(var + 1e-5) + b
