# mistake: V / (12 d²): a power of d not cancelled
# accept: power; cancel; d²; d^2; d squared; one d; 12d²
def crossover_depth(V, d):
    return V / (12 * d ** 2)
