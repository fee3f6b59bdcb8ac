# mistake: pads the vocabulary to a multiple of 64, as nanoGPT's training code does
# accept: pad; 64; vocab; 50304; multiple
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    V = (V + 63) // 64 * 64
    wte = V * d
    wpe = T * d
    block = 12 * d * d + (13 * d if bias else 2 * d)
    return wte + wpe + L * block + (2 * d if bias else d) + (0 if tied else wte)
