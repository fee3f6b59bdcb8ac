# mistake: axis=1 is hard-coded, right for (T, d) only
# accept: axis; last axis; axis=-1; axis = -1; (B, T, d); feature; leading axes; more axes
import numpy as np


def layer_norm(x, g, b):
    avg = np.mean(x, axis=min(1, x.ndim - 1), keepdims=True)
    sigma2 = np.mean((x - avg) ** 2, axis=min(1, x.ndim - 1), keepdims=True)
    return g * (x - avg) / np.sqrt(sigma2 + 1e-5) + b
