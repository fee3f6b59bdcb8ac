# mistake: the mask subtracts 1 from the future scores instead of putting -inf there
# accept: minus 1; −1; -1; adds 1; of 1; too weak; finite; leak; weak; not -inf; instead of -inf; instead of −inf; fill
import numpy as np


def with_one(x):
    return np.concatenate([x, np.ones(x.shape[:-1] + (1,))], axis=-1)


def dense(x, W, b):
    return with_one(x) @ np.vstack([W, b])


def layernorm(x, g, b):
    xhat = (x - x.mean(axis=-1, keepdims=True)) / np.hypot(x.std(axis=-1, keepdims=True), np.sqrt(1e-5))
    return xhat * g + b


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    X = P["wte"][idx] + P["wpe"][:T]
    C = X.shape[-1]
    rows, cols = np.ogrid[:T, :T]
    for p in P["blocks"]:
        qkv = dense(layernorm(X, p["ln1_g"], p["ln1_b"]), p["w_qkv"], p["b_qkv"])
        q, k, v = np.dsplit(qkv, 3)
        q, k, v = (m.reshape(B, T, n_head, C // n_head).transpose(0, 2, 1, 3) for m in (q, k, v))
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(C / n_head) - (cols > rows)
        s = np.exp(s - np.max(s, axis=-1, keepdims=True))
        A = s / np.sum(s, axis=-1, keepdims=True)
        X = X + dense(np.reshape(np.transpose(A @ v, (0, 2, 1, 3)), (B, T, C)), p["w_o"], p["b_o"])
        m = dense(layernorm(X, p["ln2_g"], p["ln2_b"]), p["w_fc"], p["b_fc"])
        m = 0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m ** 3)))
        X = X + dense(m, p["w_proj"], p["b_proj"])
    return layernorm(X, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
