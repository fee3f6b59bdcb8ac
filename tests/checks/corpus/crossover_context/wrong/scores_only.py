# mistake: only the scores are counted, 2 T d, so T = 8 d
# accept: 8d; AV; A V; mix; 2td; 4td; half; twice; values; both; only qkᵀ; only the scores; only the score; qkᵀ only
def crossover_context(d):
    ffn = 2 * (d * 4 * d + 4 * d * d)      # 16 d^2 per token and layer
    per_position = 2 * d
    return ffn // per_position
