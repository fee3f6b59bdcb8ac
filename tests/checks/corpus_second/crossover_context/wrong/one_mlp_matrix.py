# mistake: one matrix of the MLP: 2d
# accept: two matrices; second matrix; half of the MLP; one matrix; both matrices; one of the MLP; 2d
def crossover_context(d):
    mlp = 2 * d * 4 * d
    per_T = 2 * d + 2 * d
    return mlp / per_T
