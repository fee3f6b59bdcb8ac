# mistake: mean and variance of the whole array
# accept: whole; all & vectors; every axis; all axes; entire; one mean
import numpy as np


def layer_norm(x, g, b):
    mu = np.mean(x)
    var = np.var(x)
    return g * (x - mu) / np.sqrt(var + 1e-5) + b
