# mistake: one mean and variance for the whole array
# accept: whole; all entries; axis; each vector; every entry; each row; whole array; entire; global
import numpy as np


def layer_norm(x, g, b):
    avg = np.mean(x)
    sigma2 = np.mean((x - avg) ** 2)
    return g * (x - avg) / np.sqrt(sigma2 + 1e-5) + b
