# mistake: the generator is made without the seed, two calls differ
# accept: seed; reproducib; same numbers; two calls; differ
import numpy as np


def init_gpt(V, T, d, L, seed):
    gen = np.random.default_rng()
    std, res = 0.02, 0.02 / np.sqrt(2 * L)
    blocks = []
    for _ in range(L):
        blocks.append({
            "ln1_g": np.ones(d), "ln1_b": np.zeros(d),
            "w_qkv": gen.normal(0, std, (d, 3 * d)), "b_qkv": np.zeros(3 * d),
            "w_o": gen.normal(0, res, (d, d)), "b_o": np.zeros(d),
            "ln2_g": np.ones(d), "ln2_b": np.zeros(d),
            "w_fc": gen.normal(0, std, (d, 4 * d)), "b_fc": np.zeros(4 * d),
            "w_proj": gen.normal(0, res, (4 * d, d)), "b_proj": np.zeros(d),
        })
    return {"wte": gen.normal(0, std, (V, d)), "wpe": gen.normal(0, std, (T, d)),
            "blocks": blocks, "lnf_g": np.ones(d), "lnf_b": np.zeros(d)}
