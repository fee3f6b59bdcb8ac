def tying_fraction(V, d, L):
    return V * d / (12 * L * d**2 + 2 * V * d)
