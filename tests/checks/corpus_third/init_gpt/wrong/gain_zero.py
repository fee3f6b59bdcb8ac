# mistake: gains of the blocks 0
# accept: gain; ln1_g & expected all 1
import numpy as np


def init_gpt(V, T, d, L, seed):
    rng = np.random.default_rng(seed)

    def w(*shape, std=0.02):
        return rng.normal(0.0, std, size=shape)

    res = 0.02 / np.sqrt(2 * L)
    blocks = []
    for _ in range(L):
        blocks.append({
            "ln1_g": np.zeros(d), "ln1_b": np.zeros(d),
            "w_qkv": w(d, 3 * d), "b_qkv": np.zeros(3 * d),
            "w_o": w(d, d, std=res), "b_o": np.zeros(d),
            "ln2_g": np.zeros(d), "ln2_b": np.zeros(d),
            "w_fc": w(d, 4 * d), "b_fc": np.zeros(4 * d),
            "w_proj": w(4 * d, d, std=res), "b_proj": np.zeros(d),
        })
    return {"wte": w(V, d), "wpe": w(T, d), "blocks": blocks,
            "lnf_g": np.ones(d), "lnf_b": np.zeros(d)}
