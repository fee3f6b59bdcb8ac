# mistake: right values, but a Python loop goes through the vectors one by one
# accept: loop; vectoris
# shows: loop
import numpy as np


def layer_norm(x, g, b):
    out = []
    for row in x.reshape(-1, x.shape[-1]):
        out.append(g * (row - row.mean()) / np.sqrt(row.var() + 1e-5) + b)
    return np.array(out).reshape(x.shape)
