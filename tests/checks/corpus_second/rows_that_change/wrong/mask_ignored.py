# mistake: without a mask only later rows
# accept: without a mask; no mask; masked=False; unmasked; without the mask
import numpy as np


def rows_that_change(T, t, masked=True):
    rows = np.arange(T)
    if masked:
        return rows >= t
    return rows >= t
