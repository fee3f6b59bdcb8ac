# mistake: x is changed in place
# accept: in place; mutat; changes; changed; modif; input; altered; overwrit
# shows: mutation
import numpy as np


def layer_norm(x, g, b):
    x -= x.mean(axis=-1, keepdims=True)
    x /= np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)
    return x * g + b
