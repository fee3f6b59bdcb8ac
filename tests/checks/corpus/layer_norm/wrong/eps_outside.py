# mistake: eps is added outside the root
# accept: outside; inside; under the root; standard deviation; to the std; place; eps & std
import numpy as np


def layer_norm(x, g, b):
    avg = np.mean(x, axis=-1, keepdims=True)
    sigma2 = np.mean((x - avg) ** 2, axis=-1, keepdims=True)
    return g * (x - avg) / (np.sqrt(sigma2) + 1e-5) + b
