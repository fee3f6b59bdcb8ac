# mistake: one of the two products, no head
# accept: AV; QKᵀ; 2TdL; 4TdL; half; two products; one of
# accept: head
def attention_share(V, T, d, L):
    attn = 2 * T * d * L
    weights = 24 * L * d**2
    return attn / (attn + weights)
