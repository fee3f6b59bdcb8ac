# mistake: mean of squares without centring the result: RMS
# accept: RMS; mean & subtract; centr; mean is not; without & mean
import numpy as np


class Norm:
    eps = 1e-5

    def __init__(self, gamma, beta):
        self.gamma, self.beta = gamma, beta

    def forward(self, x):
        d = x.shape[-1]
        mu = np.sum(x, axis=-1) / d
        centred = x
        sigma2 = np.einsum("...i,...i->...", centred, centred) / d
        return self.gamma * centred / np.sqrt(sigma2 + self.eps)[..., None] + self.beta


def layer_norm(x, g, b):
    return Norm(g, b).forward(x)
