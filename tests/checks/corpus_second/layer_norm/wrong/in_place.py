# mistake: x is centred in place
# accept: in place; x & chang; input & chang; argument & chang; modif; overwr; read-only
# shows: mutation
import numpy as np


def layer_norm(x, g, b):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    x -= mean
    return g * x / np.sqrt(var + 1e-5) + b
