# mistake: compares with the whole block (24 d²), not with the MLP (16 d²)
# accept: 24d²; 16d²; mlp; whole block; 6d; block; ffn
def crossover_context(d):
    return 24 * d**2 // (4 * d)
