# mistake: the gain is not applied
# accept: gain; gamma; g is not; g & not
import numpy as np

EPS = 1e-5


def layer_norm(x, g, b):
    x = np.asarray(x)
    z = (x - x.mean(-1)[..., None]) * (x.var(-1)[..., None] + EPS) ** -0.5
    return z + b
