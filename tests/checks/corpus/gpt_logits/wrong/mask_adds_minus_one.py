# mistake: the mask subtracts 1 from the future scores instead of putting -inf there
# accept: minus 1; −1; -1; adds 1; of 1; too weak; finite; leak; weak; not -inf; instead of -inf; instead of −inf; fill; subtract
import numpy as np


def with_one(hid):
    return np.concatenate([hid, np.ones(hid.shape[:-1] + (1,))], axis=-1)


def dense(hid, W, b):
    return with_one(hid) @ np.vstack([W, b])


def norm(hid, g, b):
    xhat = (hid - hid.mean(axis=-1, keepdims=True)) / np.hypot(hid.std(axis=-1, keepdims=True), np.sqrt(1e-5))
    return xhat * g + b


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    H_in = P["wte"][idx] + P["wpe"][:T]
    C = H_in.shape[-1]
    rows, cols = np.ogrid[:T, :T]
    for layer in P["blocks"]:
        qkv = dense(norm(H_in, layer["ln1_g"], layer["ln1_b"]), layer["w_qkv"], layer["b_qkv"])
        qs, ks, vs = np.dsplit(qkv, 3)
        qs, ks, vs = (m.reshape(B, T, n_head, C // n_head).transpose(0, 2, 1, 3) for m in (qs, ks, vs))
        s = qs @ ks.transpose(0, 1, 3, 2) / np.sqrt(C / n_head) - (cols > rows)
        s = np.exp(s - np.max(s, axis=-1, keepdims=True))
        A = s / np.sum(s, axis=-1, keepdims=True)
        H_in = H_in + dense(np.reshape(np.transpose(A @ vs, (0, 2, 1, 3)), (B, T, C)), layer["w_o"], layer["b_o"])
        m = dense(norm(H_in, layer["ln2_g"], layer["ln2_b"]), layer["w_fc"], layer["b_fc"])
        m = 0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m ** 3)))
        H_in = H_in + dense(m, layer["w_proj"], layer["b_proj"])
    return norm(H_in, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
