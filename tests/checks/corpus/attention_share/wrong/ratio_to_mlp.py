# mistake: the ratio of attention to the MLP is returned, T/(4d)
# accept: mlp; total; whole; denominator; ratio; crossover
def attention_share(V, T, d, L):
    attention = 4 * T * d
    mlp = 16 * d * d
    return attention / mlp
