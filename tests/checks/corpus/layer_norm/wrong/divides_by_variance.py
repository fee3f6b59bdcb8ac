# mistake: divides by the variance, not its root
# accept: by the variance; root; standard deviation; variance itself
import numpy as np


class Norm:
    def __init__(self, g, b):
        self.g, self.b = g, b

    def __call__(self, x):
        rows = x.reshape(-1, x.shape[-1])
        m = rows.mean(1).reshape(-1, 1)
        value = rows.var(1).reshape(-1, 1)
        return (self.b + self.g * ((rows - m) / (value + 0.00001))).reshape(x.shape)


def layer_norm(x, g, b):
    return Norm(g, b)(x)
