# mistake: the qkv bias is counted with d entries, not 3d
# accept: b_qkv; 3d; bias & qkv; qkv bias
from functools import reduce


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    quadratic = 12 * L
    linear = V + T + (0 if tied else V) + (2 * L + 1)
    if bias:
        linear += (1 + 1 + 4 + 1) * L + (2 * L + 1)
    return reduce(lambda acc, c: acc * d + c, (quadratic, linear, 0))
