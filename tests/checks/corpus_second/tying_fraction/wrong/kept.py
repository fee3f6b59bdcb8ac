# mistake: the fraction that remains
# accept: remain; kept; left; 1 - ; complement; saves; rest
def tying_fraction(V, d, L):
    untied = 12 * L * d * d + 2 * V * d
    tied = untied - V * d
    return tied / untied
