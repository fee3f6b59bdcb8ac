# mistake: sets T = d as the crossover
# accept: 4d; 4 d; factor; d itself; too small; quarter; times; T = d; factor 4
def crossover_context(d):
    return d
