# mistake: causal attention is counted, (T + 1)/2 keys on average, so 8d - 1
# accept: causal; half; halved; full; triangle; 8d
def crossover_context(d):
    mlp_fn = 2 * (d * 4 * d + 4 * d * d)
    per_position = 2 * d + 2 * d
    return 2 * mlp_fn // per_position - 1
