# mistake: 4 and 2 whatever the table
# accept: table; embed; V; vocabulary
def growth_when_doubled(V, d, L):
    n = 12 * L * d * d + 2 * V * d
    w = 48 * L * d * d + 4 * V * d
    l = 24 * L * d * d + 2 * V * d
    return 4.0, 2.0
