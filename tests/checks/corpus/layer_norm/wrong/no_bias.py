# mistake: the bias is not added
# accept: bias; beta; b is not; shift
import numpy as np


def layer_norm(x, g, b):
    C = x.shape[-1]
    c = x - np.einsum("...i->...", x)[..., None] / C
    inv = 1 / np.sqrt(np.einsum("...i,...i->...", c, c) / C + 1e-5)
    return np.einsum("...i,...,i->...i", c, inv, g)
