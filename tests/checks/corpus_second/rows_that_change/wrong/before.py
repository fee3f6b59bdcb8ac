# mistake: rows up to t
# accept: before; up to; past; earlier; wrong way; revers; <=; direction; after; inverted
import numpy as np


def rows_that_change(T, t, masked=True):
    rows = np.arange(T)
    if masked:
        return rows <= t
    return np.ones(T, dtype=bool)
