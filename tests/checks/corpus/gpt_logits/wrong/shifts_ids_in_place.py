# mistake: idx is changed in place (made 1-based for the one-hot comparison) and never set back
# accept: in place; mutat; changes; changed; modif; input; second call; altered; overwrit; idx
# shows: mutation
import numpy as np


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    B, T = idx.shape
    idx += 1
    one_hot = (idx[..., None] == np.arange(1, V + 1)).astype(float)      # (B, T, V)
    pos_one_hot = np.eye(T, len(P["wpe"]))                    # (T, T_max)
    x = one_hot @ P["wte"] + pos_one_hot @ P["wpe"]

    averaging = np.full((d, d), 1.0 / d)
    def ln(t, g, b):
        t = t - t @ averaging
        return t * g / np.sqrt((t * t) @ averaging + 1e-5) + b

    for blk in P["blocks"]:
        t = ln(x, blk["ln1_g"], blk["ln1_b"])
        t = t @ blk["w_qkv"] + blk["b_qkv"]
        t = t.reshape(B, T, 3, n_head, d // n_head)
        t = t.transpose(2, 0, 3, 1, 4)
        s = t[0] @ t[1].transpose(0, 1, 3, 2)
        s = s / np.sqrt(d // n_head)
        s[:, :, ~np.tri(T, T, dtype=bool)] = -np.inf
        s = s - s.max(axis=-1, keepdims=True)
        s = np.exp(s)
        s = s / (s @ np.ones((T, 1)))
        t = (s @ t[2]).transpose(0, 2, 1, 3).reshape(B, T, d)
        x = x + (t @ blk["w_o"] + blk["b_o"])
        t = ln(x, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]
        t = 0.5 * t * (1 + np.tanh(np.sqrt(2 / np.pi) * (t + 0.044715 * t**3)))
        x = x + (t @ blk["w_proj"] + blk["b_proj"])
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
