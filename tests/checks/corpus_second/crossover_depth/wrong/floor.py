# mistake: whole blocks by //
# accept: round; //; whole; integer; floor; float
def crossover_depth(V, d):
    return V // (12 * d)
