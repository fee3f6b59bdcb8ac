# mistake: divides by the mean absolute deviation
# accept: absolute; variance; standard deviation; statistic; root
import numpy as np

EPS = 1e-5


def layer_norm(x, g, b):
    x = np.asarray(x)
    c = x - x.mean(-1)[..., None]
    z = c / (np.abs(c).mean(-1)[..., None] + EPS)
    return np.multiply(z, g) + b
