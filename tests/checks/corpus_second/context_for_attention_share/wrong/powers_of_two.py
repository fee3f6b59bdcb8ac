# mistake: only powers of two are tried
# accept: power; two; smallest; too large; doubl; larger
def attention_share(V, T, d, L):
    a = 4 * T * d * L
    return a / (a + 2 * (12 * L * d ** 2 + V * d))


def context_for_attention_share(V, d, L, share=0.9):
    low, high = 0, 1
    while attention_share(V, high, d, L) < share - 1e-12:
        low, high = high, 2 * high
    return high
