# mistake: tied: one table only
# accept: one table; untied; two tables; 2Vd; 2 V; twice; tied
def growth_when_doubled(V, d, L):
    def total(d, L):
        return 12 * L * d ** 2 + V * d

    return total(2 * d, L) / total(d, L), total(d, 2 * L) / total(d, L)
