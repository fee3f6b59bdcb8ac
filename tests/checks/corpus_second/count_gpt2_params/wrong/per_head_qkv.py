# mistake: w_qkv is counted once for each of 12 heads
# accept: each head; per head; heads; 12; w_qkv
from math import prod


def shapes(V, T, d, L, tied, bias):
    yield "wte", (V, d)
    yield "wpe", (T, d)
    for i in range(L):
        yield f"{i}.ln1_g", (d,)
        yield f"{i}.w_qkv", (12, d, 3 * d)
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
