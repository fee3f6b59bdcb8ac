# mistake: gain and bias are applied before normalising
# accept: before normal; gain & before; affine & before; order; affine; gain and bias; then normal; gain
import numpy as np


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    B, seq = idx.shape
    one_hot = np.eye(V)[idx]
    pos_one_hot = np.eye(seq, len(P["wpe"]))
    x = one_hot @ P["wte"] + pos_one_hot @ P["wpe"]

    averaging = np.full((d, d), 1.0 / d)
    def lnorm(t, g, b):
        t = t * g + b
        t = t - t @ averaging
        return t / np.sqrt((t * t) @ averaging + 1e-5)

    for blk in P["blocks"]:
        t = lnorm(x, blk["ln1_g"], blk["ln1_b"])
        t = t @ blk["w_qkv"] + blk["b_qkv"]
        t = t.reshape(B, seq, 3, n_head, d // n_head)
        t = t.transpose(2, 0, 3, 1, 4)
        s = t[0] @ t[1].transpose(0, 1, 3, 2)
        s = s / np.sqrt(d // n_head)
        s[:, :, ~np.tri(seq, seq, dtype=bool)] = -np.inf
        s = s - s.max(axis=-1, keepdims=True)
        s = np.exp(s)
        s = s / (s @ np.ones((seq, 1)))
        t = (s @ t[2]).transpose(0, 2, 1, 3).reshape(B, seq, d)
        x = x + (t @ blk["w_o"] + blk["b_o"])
        t = lnorm(x, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]
        t = 0.5 * t * (1 + np.tanh(np.sqrt(2 / np.pi) * (t + 0.044715 * t**3)))
        x = x + (t @ blk["w_proj"] + blk["b_proj"])
    return lnorm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
