# mistake: one maximum over the whole array is subtracted, so rows with much smaller scores underflow to 0/0
# accept: underflow; stab; each row; per row; row's own; global max; large score; nan; 0/0; whole array; overflow
import numpy as np

# b_k adds the same number q·b_k to a whole row of scores, softmax cannot see it, so I leave it out.


def std(value, g, b):
    value = value - value.mean(axis=-1, keepdims=True)
    return g * value / np.sqrt((value * value).mean(axis=-1, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    V, emb = P["wte"].shape
    batch, T = idx.shape
    r = P["wte"][idx] + P["wpe"][:T]
    split = lambda m: m.reshape(batch, T, n_head, emb // n_head).transpose(0, 2, 1, 3)
    minus = np.where(np.tril(np.ones((T, T))) > 0, 0.0, -np.inf)
    for block in P["blocks"]:
        n = std(r, block["ln1_g"], block["ln1_b"])
        Wq, Wk, Wv = np.hsplit(block["w_qkv"], 3)
        bq, _, bv = np.split(block["b_qkv"], 3)
        qs, ks, value = split(n @ Wq + bq), split(n @ Wk), split(n @ Wv + bv)
        sim = qs @ ks.transpose(0, 1, 3, 2) / np.sqrt(emb // n_head) + minus
        sim = np.exp(sim - sim.max())
        sim /= sim.sum(axis=-1, keepdims=True)
        r = r + (sim @ value).transpose(0, 2, 1, 3).reshape(batch, T, emb) @ block["w_o"] + block["b_o"]
        m = std(r, block["ln2_g"], block["ln2_b"]) @ block["w_fc"] + block["b_fc"]
        r = r + (0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m**3)))) @ block["w_proj"] + block["b_proj"]
    return std(r, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
