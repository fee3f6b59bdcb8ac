# mistake: normalises over the rows instead of over the features
# accept: axis; rows; feature; positions; batch
import numpy as np


class Norm:
    def __init__(self, g, b):
        self.g, self.b = g, b

    def __call__(self, x):
        rows = x.reshape(-1, x.shape[-1])
        m = rows.mean(0)
        Vh = rows.var(0)
        return (self.b + self.g * ((rows - m) / np.sqrt(Vh + 0.00001))).reshape(x.shape)


def layer_norm(x, g, b):
    return Norm(g, b)(x)
