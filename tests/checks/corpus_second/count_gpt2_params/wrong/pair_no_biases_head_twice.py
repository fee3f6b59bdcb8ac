# mistake: linear biases forgotten and the head always counted
# accept: bias
# accept: tied; head; twice
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = 0
    n += V * d  # wte
    n += T * d  # wpe
    for _ in range(L):
        n += d + (d if bias else 0)  # ln1
        n += d * 3 * d + 0  # qkv
        n += d * d  # o
        n += d + (d if bias else 0)  # ln2
        n += d * 4 * d + 0  # fc
        n += 4 * d * d  # proj
    n += d + (d if bias else 0)  # lnf
    n += V * d
    return n
