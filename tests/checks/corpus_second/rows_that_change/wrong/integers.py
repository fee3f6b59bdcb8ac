# mistake: integers 0 and 1
# accept: bool; dtype; int
# shows: type
import numpy as np


def rows_that_change(T, t, masked=True):
    rows = np.arange(T)
    if masked:
        return (rows >= t).astype(int)
    return np.ones(T, dtype=int)
