# mistake: sets T = d as the crossover
# accept: 4d; 4 d; factor; d itself; too small; quarter; times
def crossover_context(d):
    return d
