# mistake: rounded down
# accept: round; whole; float; //; integer; floor
def crossover_depth(V, d):
    return V // (12 * d)
