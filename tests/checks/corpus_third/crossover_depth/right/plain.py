def crossover_depth(V, d):
    return V / (12 * d)
