# mistake: w_fc and w_proj and w_qkv have the shape (output, input) of nn.Linear
# accept: shape; transpos; (output, input); output, input; out, in
import numpy as np
from math import prod, sqrt


def init_gpt(V, T, d, L, seed):
    """All numbers in one draw, cut into pieces; the residual matrices are rescaled afterwards."""
    per_block = [("w_qkv", (3 * d, d)), ("w_o", (d, d)), ("w_fc", (4 * d, d)), ("w_proj", (d, 4 * d))]
    count = (V + T) * d + L * sum(prod(sim) for _, sim in per_block)
    z = 0.02 * np.random.default_rng(seed).standard_normal(count)
    at = 0

    def take(shape):
        nonlocal at
        at += prod(shape)
        return z[at - prod(shape):at].reshape(shape).copy()

    P = {"wte": take((V, d)), "wpe": take((T, d)), "blocks": []}
    for _ in range(L):
        b = {name: take(shape) for name, shape in per_block}
        b["w_o"] /= sqrt(2 * L)
        b["w_proj"] /= sqrt(2 * L)
        for name, n in [("b_qkv", 3 * d), ("b_o", d), ("b_fc", 4 * d), ("b_proj", d), ("ln1_b", d), ("ln2_b", d)]:
            b[name] = np.zeros(n)
        b["ln1_g"] = np.ones(d)
        b["ln2_g"] = np.ones(d)
        P["blocks"].append(b)
    return P | {"lnf_g": np.ones(d), "lnf_b": np.zeros(d)}
