# mistake: both tables counted as saved
# accept: both; one table; 2V; twice; two tables; factor 2; 2 V; 2Vd
def tying_fraction(V, d, L):
    untied = 12 * L * d * d + 2 * V * d
    tied = untied - 2 * V * d
    return (untied - tied) / untied
