# mistake: no eps
# accept: eps; epsilon; ε; constant; 0/0
import numpy as np

layer_norm = lambda x, g, b: (x - np.average(x, -1)[..., np.newaxis]) / np.sqrt(np.std(x, -1)[..., np.newaxis] ** 2) * g + b
