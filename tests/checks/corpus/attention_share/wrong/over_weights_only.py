# mistake: divides by the weights' FLOPs alone, the attention term is missing below the bar (the lesson's 15 % figure)
# accept: weights; denominator; total; alone; another ratio; 15
def attention_share(V, T, d, L):
    attn = 4 * T * d * L
    return attn / (2 * (12 * L * d**2 + V * d))
