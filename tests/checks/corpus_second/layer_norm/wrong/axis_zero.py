# mistake: axis 0
# accept: axis; first axis; last axis
import numpy as np


def layer_norm(x, g, b):
    mean = x.mean(axis=0, keepdims=True)
    var = x.var(axis=0, keepdims=True)
    return g * (x - mean) / np.sqrt(var + 1e-5) + b
