# mistake: x changed in place
# accept: change; in place; modif; unchanged; altered
# shows: mutation
import numpy as np


def layer_norm(x, g, b):
    mu = np.mean(x, axis=-1, keepdims=True)
    var = np.var(x, axis=-1, keepdims=True)
    x -= mu
    return g * x / np.sqrt(var + 1e-5) + b
