# mistake: 2d
# accept: 4d; mlp; two; twice; one matrix; half; one of
def crossover_context(d):
    return 2 * d
