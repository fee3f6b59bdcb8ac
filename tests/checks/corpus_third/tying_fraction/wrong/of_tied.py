# mistake: fraction of the tied total
# accept: tied total; untied; of the tied
def tying_fraction(V, d, L):
    return V * d / (12 * L * d**2 + V * d)
