# mistake: what remains, not what is saved
# accept: remain; left; 1 -; keeps; complement; rest; stays
def tying_fraction(V, d, L):
    return 1 - V * d / (12 * L * d**2 + 2 * V * d)
