# mistake: two tables
# accept: two tables; 2V; twice; factor 2; untied; both tables; 2 V; one table
def crossover_depth(V, d):
    return 2 * V / (12 * d)
