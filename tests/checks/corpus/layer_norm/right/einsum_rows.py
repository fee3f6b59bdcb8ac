import numpy as np


def layer_norm(x, g, b):
    d = x.shape[-1]
    c = x - np.einsum("...i->...", x)[..., None] / d
    inv = 1 / np.sqrt(np.einsum("...i,...i->...", c, c) / d + 1e-5)
    return np.einsum("...i,...,i->...i", c, inv, g) + b
