# mistake: all matrices of a block: 6d
# accept: projection; 6d; whole block; 12d; 24d; all matrices; W_Q; w_qkv
def crossover_context(d):
    mlp = 2 * 12 * d * d
    per_T = 2 * d + 2 * d
    return mlp / per_T
