def crossover_context(d):
    mlp = 2 * (d * 4 * d + 4 * d * d)
    per_T = 2 * d + 2 * d
    return mlp / per_T
