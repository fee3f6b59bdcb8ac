# mistake: depth first
# accept: order; swap; exchang; wrong way; depth first; width first
def growth_when_doubled(V, d, L):
    def total(d, L):
        return 12 * L * d ** 2 + 2 * V * d

    return total(d, 2 * L) / total(d, L), total(2 * d, L) / total(d, L)
