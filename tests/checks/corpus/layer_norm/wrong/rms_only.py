# mistake: RMSNorm, the mean is not subtracted
# accept: rms; mean is not; not subtract; mean subtract; without the mean; centr
import numpy as np


def layer_norm(x, g, b):
    sigma2 = np.mean(x ** 2, axis=-1, keepdims=True)
    return g * x / np.sqrt(sigma2 + 1e-5) + b
