# mistake: the MLP is counted with one of its two matrices
# accept: 8d²; 16d²; mlp; matri; 2d; w_proj
def crossover_context(d):
    ffn = 2 * d * 4 * d      # 16 d^2 per token and layer
    per_position = 2 * d + 2 * d           # scores and mix, for each key
    return ffn // per_position
