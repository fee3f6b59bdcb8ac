# mistake: fraction of the tied total
# accept: tied total; total before; untied total; before tying; smaller total; divided by the tied; of the tied; of the untied
def tying_fraction(V, d, L):
    untied = 12 * L * d * d + 2 * V * d
    tied = untied - V * d
    return (untied - tied) / tied
