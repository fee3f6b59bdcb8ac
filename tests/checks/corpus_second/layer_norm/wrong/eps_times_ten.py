# mistake: eps 1e-4
# accept: eps
import numpy as np


def layer_norm(x, g, b):
    shape = x.shape
    rows = np.reshape(x, (-1, shape[-1])).T  # (d, n)
    rows = rows - np.mean(rows, axis=0)
    rows = rows / np.sqrt(np.mean(rows * rows, axis=0) + 1e-4)
    return np.reshape(rows.T * g + b, shape)
