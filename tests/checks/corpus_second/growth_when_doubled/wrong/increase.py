# mistake: the increase instead of the factor
# accept: increase; minus 1; - 1; factor of 2; added; relative; 1 less
def growth_when_doubled(V, d, L):
    def total(d, L):
        return 12 * L * d ** 2 + 2 * V * d

    now = total(d, L)
    return (total(2 * d, L) - now) / now, (total(d, 2 * L) - now) / now
