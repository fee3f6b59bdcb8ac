# mistake: [block] * L
# accept: same block; share; one block; same memory; memory; same array; same dict
import numpy as np


def init_gpt(V, T, d, L, seed):
    rng = np.random.default_rng(seed)

    def normal(*shape, std=0.02):
        return rng.normal(0.0, std, shape)

    small = 0.02 / np.sqrt(2 * L)
    block = {
            "ln1_g": np.ones(d), "ln1_b": np.zeros(d),
            "w_qkv": normal(d, 3 * d), "b_qkv": np.zeros(3 * d),
            "w_o": normal(d, d, std=small), "b_o": np.zeros(d),
            "ln2_g": np.ones(d), "ln2_b": np.zeros(d),
            "w_fc": normal(d, 4 * d), "b_fc": np.zeros(4 * d),
            "w_proj": normal(4 * d, d, std=small), "b_proj": np.zeros(d),
    }
    blocks = [block] * L
    return {"wte": normal(V, d), "wpe": normal(T, d), "blocks": blocks,
            "lnf_g": np.ones(d), "lnf_b": np.zeros(d)}
