# mistake: returns millions
# accept: million; 1e6; unit; 10^6; exact; float
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    tables = V * d * (1 if tied else 2) + T * d
    vectors = 13 * d if bias else 2 * d
    block = 12 * d ** 2 + vectors
    final = 2 * d if bias else d
    return (tables + L * block + final) / 1e6
