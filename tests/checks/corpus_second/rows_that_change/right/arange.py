import numpy as np


def rows_that_change(T, t, masked=True):
    rows = np.arange(T)
    if masked:
        return rows >= t
    return np.ones(T, dtype=bool)
