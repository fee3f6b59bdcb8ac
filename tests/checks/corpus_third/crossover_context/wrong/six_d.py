# mistake: with the projections: 6d
# accept: projection; 6d; whole block; 12d²; all weights; MLP alone; 4d
def crossover_context(d):
    return 6 * d
