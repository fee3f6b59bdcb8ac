# mistake: eps 1e-8
# accept: eps; epsilon; 1e-8; ε
import numpy as np


def layer_norm(x, g, b):
    width = x.shape[-1]
    c = x - np.einsum("...i->...", x)[..., None] / width
    inv = 1 / np.sqrt(np.einsum("...i,...i->...", c, c) / width + 1e-8)
    return np.einsum("...i,...,i->...i", c, inv, g) + b
