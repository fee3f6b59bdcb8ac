# mistake: the result is rounded to float32
# accept: float32; single precision; dtype; precision; rounded
import numpy as np

# LayerNorm's gain and bias folded into the matrix that follows: (n*g + b) @ W = n @ (g[:,None]*W) + b @ W


def whiten(x):
    c = x - x.mean(-1, keepdims=True)
    return c / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-5)


def fold(g, b, W, c):
    return g[:, None] * W, b @ W + c


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    V, d = P["wte"].shape
    x = P["wte"][idx] + P["wpe"][:T]
    for p in P["blocks"]:
        W, c = fold(p["ln1_g"], p["ln1_b"], p["w_qkv"], p["b_qkv"])
        q, k, v = ((whiten(x) @ W + c).reshape(B, T, 3, n_head, d // n_head)).transpose(2, 0, 3, 1, 4)
        s = (q / np.sqrt(d // n_head)) @ k.swapaxes(-1, -2)
        s = np.where(np.triu(np.ones((T, T), bool), 1), -np.inf, s)
        s = np.exp(s - s.max(-1)[..., None])
        a = s / s.sum(-1)[..., None]
        x = x + (a @ v).swapaxes(1, 2).reshape(B, T, d) @ p["w_o"] + p["b_o"]
        W, c = fold(p["ln2_g"], p["ln2_b"], p["w_fc"], p["b_fc"])
        f = whiten(x) @ W + c
        f = 0.5 * f * (1 + np.tanh(np.sqrt(2 / np.pi) * (f + 0.044715 * f**3)))
        x = x + f @ p["w_proj"] + p["b_proj"]
    return (whiten(x) @ (P["lnf_g"][:, None] * P["wte"].T) + P["lnf_b"] @ P["wte"].T).astype(np.float32)
