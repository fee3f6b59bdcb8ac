# mistake: attention divided by the weights instead of the whole
# accept: whole; ratio; weights alone; weights only; not the total; instead of the total; of the rest
def attention_share(V, T, d, L):
    attention = 4 * T * d * L
    weights = 2 * (12 * L * d ** 2 + V * d)
    return attention / weights
