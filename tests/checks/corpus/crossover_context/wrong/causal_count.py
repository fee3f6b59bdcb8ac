# mistake: causal attention is counted, (T + 1)/2 keys on average, so 8d - 1
# accept: causal; half; halved; full; triangle; 8d
def crossover_context(d):
    mlp = 2 * (d * 4 * d + 4 * d * d)      # 16 d^2 per token and layer
    per_position = 2 * d + 2 * d           # scores and mix, for each key
    return 2 * mlp // per_position - 1
