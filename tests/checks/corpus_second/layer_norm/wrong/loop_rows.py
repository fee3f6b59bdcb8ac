# mistake: a loop over the vectors
# accept: loop; vectoris
# shows: loop
import numpy as np


def layer_norm(x, g, b):
    shape = x.shape
    rows = np.reshape(x, (-1, shape[-1]))
    out = [(r - r.mean()) / np.sqrt(r.var() + 1e-5) * g + b for r in rows]
    return np.reshape(out, shape)
