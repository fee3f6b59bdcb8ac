def tying_fraction(V, d, L):
    untied = 12 * L * d * d + 2 * V * d
    tied = untied - V * d
    return (untied - tied) / untied
