# mistake: head left out of the whole
# accept: head
def attention_share(V, T, d, L):
    attn = 4 * T * d * L
    weights = 24 * L * d**2
    return attn / (attn + weights)
