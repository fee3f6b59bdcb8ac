# mistake: one maximum over the whole array is subtracted, so rows with much smaller scores underflow to 0/0
# accept: underflow; stab; each row; per row; row's own; global max; large score; nan; 0/0; whole array; overflow
import numpy as np

# b_k adds the same number q·b_k to a whole row of scores, softmax cannot see it, so I leave it out.


def std(v, g, b):
    v = v - v.mean(axis=-1, keepdims=True)
    return g * v / np.sqrt((v * v).mean(axis=-1, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    B, T = idx.shape
    r = P["wte"][idx] + P["wpe"][:T]
    split = lambda m: m.reshape(B, T, n_head, d // n_head).transpose(0, 2, 1, 3)
    minus = np.where(np.tril(np.ones((T, T))) > 0, 0.0, -np.inf)
    for blk in P["blocks"]:
        n = std(r, blk["ln1_g"], blk["ln1_b"])
        Wq, Wk, Wv = np.hsplit(blk["w_qkv"], 3)
        bq, _, bv = np.split(blk["b_qkv"], 3)
        q, k, v = split(n @ Wq + bq), split(n @ Wk), split(n @ Wv + bv)
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d // n_head) + minus
        s = np.exp(s - s.max())
        s /= s.sum(axis=-1, keepdims=True)
        r = r + (s @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ blk["w_o"] + blk["b_o"]
        m = std(r, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]
        r = r + (0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m**3)))) @ blk["w_proj"] + blk["b_proj"]
    return std(r, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
