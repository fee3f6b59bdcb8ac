# mistake: tied and untied are exchanged
# accept: tied; exchang; invert; swap; wrong way; head
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    tables = V * d * (2 if tied else 1) + T * d
    vectors = 13 * d if bias else 2 * d
    block = 12 * d ** 2 + vectors
    final = 2 * d if bias else d
    return tables + L * block + final
