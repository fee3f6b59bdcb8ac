# mistake: V and T are exchanged: the untied head is T d
# accept: V & T & swap; V & T & exchang; T d; head$; T instead; interchang; vocab
from functools import reduce


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    quadratic = 12 * L
    linear = V + T + (0 if tied else T) + (2 * L + 1)            # tables, gains
    if bias:
        linear += (3 + 1 + 4 + 1) * L + (2 * L + 1)
    return reduce(lambda acc, c: acc * d + c, (quadratic, linear, 0))
