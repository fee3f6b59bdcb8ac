# mistake: the position table is counted as T x T
# accept: position; wpe; TT; T x T; T²; context
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    wte, wpe = V * d, T * T
    ln = d + d * int(bias)
    blk = 12 * d * d + 9 * d * int(bias) + 2 * ln
    return sum([wte, wpe, L * blk, ln, 0 if tied else wte])
