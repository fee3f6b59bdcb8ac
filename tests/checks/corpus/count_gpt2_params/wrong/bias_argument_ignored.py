# mistake: the argument bias is ignored, biases are always counted
# accept: bias=False; bias = False; bias & ignor; argument bias; bias & always; without bias; bias & argument; bias & off
def per_layer(d, bias):
    mha_fn = 4 * d * d + (4 * d if bias else 0)
    mlp = 8 * d * d + (5 * d if bias else 0)
    return mha_fn + mlp + 2 * (d + (d if bias else 0))


def blocks(L, d, bias):
    return 0 if L == 0 else per_layer(d, bias) + blocks(L - 1, d, bias)


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    bias = True
    ends = (V + T) * d if tied else (2 * V + T) * d
    return ends + blocks(L, d, bias) + (2 * d if bias else d)
