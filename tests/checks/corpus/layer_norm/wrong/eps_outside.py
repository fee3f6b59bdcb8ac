# mistake: eps is added outside the root
# accept: outside; inside; under the root; standard deviation; to the std; place; eps & std
import numpy as np


def layer_norm(x, g, b):
    mu = np.mean(x, axis=-1, keepdims=True)
    sigma2 = np.mean((x - mu) ** 2, axis=-1, keepdims=True)
    return g * (x - mu) / (np.sqrt(sigma2) + 1e-5) + b
