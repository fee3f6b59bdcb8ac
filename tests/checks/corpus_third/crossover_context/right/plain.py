def crossover_context(d):
    return 4 * d
