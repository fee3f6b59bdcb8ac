# mistake: bias=False drops the gains of the layer norms as well
# accept: gain; LayerNorm
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = 0
    n += V * d  # wte
    n += T * d  # wpe
    for _ in range(L):
        n += 2 * d if bias else 0  # ln1
        n += d * 3 * d + (3 * d if bias else 0)  # qkv
        n += d * d + (d if bias else 0)  # o
        n += 2 * d if bias else 0  # ln2
        n += d * 4 * d + (4 * d if bias else 0)  # fc
        n += 4 * d * d + (d if bias else 0)  # proj
    n += 2 * d if bias else 0  # lnf
    if not tied:
        n += V * d
    return n
