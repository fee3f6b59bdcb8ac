# mistake: np.random.seed is called: NumPy's global generator is reset as a side effect
# accept: global; np.random.seed; side effect; state; seed
# shows: state
import numpy as np


def init_gpt(V, T, d, L, seed):
    np.random.seed(seed)
    g = lambda *shape: np.random.randn(*shape) * 0.02
    P = {"wte": g(V, d), "wpe": g(T, d), "lnf_g": np.ones(d), "lnf_b": np.zeros(d), "blocks": []}
    for i in range(L):
        P["blocks"].append({
            "ln1_g": np.ones(d), "ln1_b": np.zeros(d), "ln2_g": np.ones(d), "ln2_b": np.zeros(d),
            "w_qkv": g(d, 3 * d), "w_o": g(d, d) / np.sqrt(2 * L), "w_fc": g(d, 4 * d), "w_proj": g(4 * d, d) / np.sqrt(2 * L),
            "b_qkv": np.zeros(3 * d), "b_o": np.zeros(d), "b_fc": np.zeros(4 * d), "b_proj": np.zeros(d),
        })
    return P
