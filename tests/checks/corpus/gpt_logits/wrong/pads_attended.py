# mistake: pads with id 0 on the right, builds no mask and hides only the padding
# accept: no mask; no causal mask; without a mask; without the mask; mask is missing; missing mask; not masked; unmasked; every position sees; sees the future; all positions; bidirectional; reads the future
import numpy as np


def gpt_logits(P, idx, n_head):
    """BERT-like: pad to a multiple of 8 and hide the padding."""
    B, T = idx.shape
    n = min(-(-T // 8) * 8, len(P["wpe"]))
    ids = np.pad(idx, ((0, 0), (0, n - T)))
    valid = np.arange(n) < T
    d = P["wte"].shape[1]

    def norm(x, g, b):
        return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b

    x = P["wte"][ids] + P["wpe"][:n]
    for w in P["blocks"]:
        qkv = norm(x, w["ln1_g"], w["ln1_b"]) @ w["w_qkv"] + w["b_qkv"]
        q, k, v = qkv.reshape(B, n, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d // n_head)
        s = np.where(valid[None, None, None, :], s, -np.inf)
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        x = x + (s @ v).transpose(0, 2, 1, 3).reshape(B, n, d) @ w["w_o"] + w["b_o"]
        a = norm(x, w["ln2_g"], w["ln2_b"]) @ w["w_fc"] + w["b_fc"]
        a = 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3)))
        x = x + a @ w["w_proj"] + w["b_proj"]
    return norm(x[:, :T], P["lnf_g"], P["lnf_b"]) @ P["wte"].T
