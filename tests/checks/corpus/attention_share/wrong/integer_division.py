# mistake: // gives 0
# accept: //; integer division; floor; whole number; int
def attention_share(V, T, d, L):
    mha = 4 * T * d * L
    return mha // (2 * (12 * L * d**2 + V * d) + mha)
