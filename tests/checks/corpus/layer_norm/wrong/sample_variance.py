# mistake: sample variance, division by d-1
# accept: ddof; d - 1; d − 1; n - 1; d-1; d−1; sample variance; population; unbiased; bessel
import numpy as np

EPS = 1e-5


def layer_norm(x, g, b):
    x = np.asarray(x)
    z = (x - x.mean(-1)[..., None]) * (x.var(-1, ddof=1)[..., None] + EPS) ** -0.5
    return np.multiply(z, g) + b
