# mistake: MLP alone: 8d^2
# accept: 8d²; mlp; attention; 4d²
def crossover_depth(V, d):
    return V / (8 * d)
