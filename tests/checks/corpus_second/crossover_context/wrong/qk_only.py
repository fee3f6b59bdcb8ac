# mistake: only QKᵀ counted: 8d
# accept: AV; two products; both products; one of; 8d; QK; one product
def crossover_context(d):
    mlp = 2 * (d * 4 * d + 4 * d * d)
    per_T = 2 * d
    return mlp / per_T
