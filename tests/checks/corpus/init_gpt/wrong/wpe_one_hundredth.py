# mistake: wpe has std 0.01 (OpenAI's code), the exercise asks for 0.02
# accept: wpe; position; 0.01
import numpy as np


def init_gpt(V, T, d, L, seed):
    r = np.random.default_rng(seed)
    std, res = 0.02, 0.02 / np.sqrt(2 * L)
    blocks = []
    for _ in range(L):
        blocks.append({
            "ln1_g": np.ones(d), "ln1_b": np.zeros(d),
            "w_qkv": r.normal(0, std, (d, 3 * d)), "b_qkv": np.zeros(3 * d),
            "w_o": r.normal(0, res, (d, d)), "b_o": np.zeros(d),
            "ln2_g": np.ones(d), "ln2_b": np.zeros(d),
            "w_fc": r.normal(0, std, (d, 4 * d)), "b_fc": np.zeros(4 * d),
            "w_proj": r.normal(0, res, (4 * d, d)), "b_proj": np.zeros(d),
        })
    return {"wte": r.normal(0, std, (V, d)), "wpe": r.normal(0, std / 2, (T, d)),
            "blocks": blocks, "lnf_g": np.ones(d), "lnf_b": np.zeros(d)}
