def growth_when_doubled(V, d, L):
    n = 12 * L * d * d + 2 * V * d
    w = 48 * L * d * d + 4 * V * d
    l = 24 * L * d * d + 2 * V * d
    return w / n, l / n
