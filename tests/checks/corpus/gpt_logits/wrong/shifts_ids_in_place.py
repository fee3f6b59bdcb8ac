# mistake: idx is changed in place (made 1-based for the one-hot comparison) and never set back
# accept: in place; mutat; changes; changed; modif; input; second call; altered; overwrit; idx
# shows: mutation
import numpy as np


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    B, seq = idx.shape
    idx += 1
    one_hot = (idx[..., None] == np.arange(1, V + 1)).astype(float)
    pos_one_hot = np.eye(seq, len(P["wpe"]))
    acts = one_hot @ P["wte"] + pos_one_hot @ P["wpe"]

    averaging = np.full((d, d), 1.0 / d)
    def norm_(t, g, b):
        t = t - t @ averaging
        return t * g / np.sqrt((t * t) @ averaging + 1e-5) + b

    for prm in P["blocks"]:
        t = norm_(acts, prm["ln1_g"], prm["ln1_b"])
        t = t @ prm["w_qkv"] + prm["b_qkv"]
        t = t.reshape(B, seq, 3, n_head, d // n_head)
        t = t.transpose(2, 0, 3, 1, 4)
        s = t[0] @ t[1].transpose(0, 1, 3, 2)
        s = s / np.sqrt(d // n_head)
        s[:, :, ~np.tri(seq, seq, dtype=bool)] = -np.inf
        s = s - s.max(axis=-1, keepdims=True)
        s = np.exp(s)
        s = s / (s @ np.ones((seq, 1)))
        t = (s @ t[2]).transpose(0, 2, 1, 3).reshape(B, seq, d)
        acts = acts + (t @ prm["w_o"] + prm["b_o"])
        t = norm_(acts, prm["ln2_g"], prm["ln2_b"]) @ prm["w_fc"] + prm["b_fc"]
        t = 0.5 * t * (1 + np.tanh(np.sqrt(2 / np.pi) * (t + 0.044715 * t**3)))
        acts = acts + (t @ prm["w_proj"] + prm["b_proj"])
    return norm_(acts, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
