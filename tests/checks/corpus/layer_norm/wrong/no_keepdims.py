# mistake: keepdims is missing: shapes do not broadcast, or broadcast along the wrong axis
# accept: keepdims; broadcast; shape; axis; dimension
import numpy as np


def layer_norm(x, g, b):
    mean = x.mean(axis=-1)
    var = x.var(axis=-1)
    return g * (x - mean) / np.sqrt(var + 1e-5) + b
