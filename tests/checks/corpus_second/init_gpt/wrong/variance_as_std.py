# mistake: 0.02² passed as the standard deviation
# accept: 0.02² ; 0.02^2; 0.0004; squared; variance; too small; spread
import numpy as np


def init_gpt(V, T, d, L, seed):
    rng = np.random.default_rng(seed)

    def normal(*shape, std=0.02 ** 2):
        return rng.normal(0.0, std, shape)

    small = 0.02 / np.sqrt(2 * L)
    blocks = []
    for _ in range(L):
        blocks.append({
            "ln1_g": np.ones(d), "ln1_b": np.zeros(d),
            "w_qkv": normal(d, 3 * d), "b_qkv": np.zeros(3 * d),
            "w_o": normal(d, d, std=small), "b_o": np.zeros(d),
            "ln2_g": np.ones(d), "ln2_b": np.zeros(d),
            "w_fc": normal(d, 4 * d), "b_fc": np.zeros(4 * d),
            "w_proj": normal(4 * d, d, std=small), "b_proj": np.zeros(d),
        })
    return {"wte": normal(V, d), "wpe": normal(T, d), "blocks": blocks,
            "lnf_g": np.ones(d), "lnf_b": np.zeros(d)}
