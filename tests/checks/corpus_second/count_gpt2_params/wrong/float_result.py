# mistake: returns a float
# accept: float; int
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = 0
    n += V * d  # wte
    n += T * d  # wpe
    for _ in range(L):
        n += d + (d if bias else 0)  # ln1
        n += d * 3 * d + (3 * d if bias else 0)  # qkv
        n += d * d + (d if bias else 0)  # o
        n += d + (d if bias else 0)  # ln2
        n += d * 4 * d + (4 * d if bias else 0)  # fc
        n += 4 * d * d + (d if bias else 0)  # proj
    n += d + (d if bias else 0)  # lnf
    if not tied:
        n += V * d
    return float(n)
