import numpy as np


def rows_that_change(T, t, masked=True):
    if not masked:
        return np.ones(T, dtype=bool)
    return np.arange(T) >= t
