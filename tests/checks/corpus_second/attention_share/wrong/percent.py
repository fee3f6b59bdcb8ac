# mistake: in percent
# accept: percent; 100; between 0 and 1; %
def attention_share(V, T, d, L):
    attention = 4 * T * d * L
    weights = 2 * (12 * L * d ** 2 + V * d)
    return 100 * attention / (attention + weights)
