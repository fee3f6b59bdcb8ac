# mistake: the position table is counted in every block
# accept: every block; each block; position & L times; position & more than once; position & blocks
from math import prod


def shapes(V, T, d, L, tied, bias):
    yield "wte", (V, d)
    for i in range(L):
        yield f"{i}.wpe", (T, d)
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
            yield f"{i}.b_fc", (4 * d,)
            yield f"{i}.b_proj", (d,)
    yield "lnf_g", (d,)
    if bias:
        yield "lnf_b", (d,)
    if not tied:
        yield "head", (V, d)


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    return sum(prod(shape) for _, shape in shapes(V, T, d, L, tied, bias))
