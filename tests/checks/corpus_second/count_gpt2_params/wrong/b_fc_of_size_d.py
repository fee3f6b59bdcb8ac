# mistake: b_fc counted with d entries
# accept: b_fc; bias & 4d; bias & 3d; bias & first layer; bias & MLP
from math import prod


def shapes(V, T, d, L, tied, bias):
    yield "wte", (V, d)
    yield "wpe", (T, d)
    for i in range(L):
        yield f"{i}.ln1_g", (d,)
        yield f"{i}.w_qkv", (d, 3 * d)
        yield f"{i}.w_o", (d, d)
        yield f"{i}.ln2_g", (d,)
        yield f"{i}.w_fc", (d, 4 * d)
        yield f"{i}.w_proj", (4 * d, d)
        if bias:
            yield f"{i}.ln1_b", (d,)
            yield f"{i}.b_qkv", (3 * d,)
            yield f"{i}.b_o", (d,)
            yield f"{i}.ln2_b", (d,)
            yield f"{i}.b_fc", (d,)
            yield f"{i}.b_proj", (d,)
    yield "lnf_g", (d,)
    if bias:
        yield "lnf_b", (d,)
    if not tied:
        yield "head", (V, d)


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    return sum(prod(shape) for _, shape in shapes(V, T, d, L, tied, bias))
