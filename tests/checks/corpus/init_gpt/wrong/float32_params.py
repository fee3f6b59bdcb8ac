# mistake: the parameters are float32
# accept: float32; dtype; float64; single precision
import numpy as np


def init_gpt(V, T, d, L, seed):
    rng = np.random.default_rng(seed)
    std, res = 0.02, 0.02 / np.sqrt(2 * L)
    blocks = []
    for _ in range(L):
        blocks.append({
            "ln1_g": np.ones(d), "ln1_b": np.zeros(d),
            "w_qkv": rng.normal(0, std, (d, 3 * d)), "b_qkv": np.zeros(3 * d),
            "w_o": rng.normal(0, res, (d, d)), "b_o": np.zeros(d),
            "ln2_g": np.ones(d), "ln2_b": np.zeros(d),
            "w_fc": rng.normal(0, std, (d, 4 * d)), "b_fc": np.zeros(4 * d),
            "w_proj": rng.normal(0, res, (4 * d, d)), "b_proj": np.zeros(d),
        })
    P = {"wte": rng.normal(0, std, (V, d)), "wpe": rng.normal(0, std, (T, d)),
         "blocks": blocks, "lnf_g": np.ones(d), "lnf_b": np.zeros(d)}
    for b in blocks:
        for name in b:
            b[name] = b[name].astype(np.float32)
    return {key: v if key == "blocks" else v.astype(np.float32) for key, v in P.items()}
