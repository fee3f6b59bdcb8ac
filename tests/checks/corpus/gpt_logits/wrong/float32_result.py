# mistake: the result is rounded to float32
# accept: float32; single precision; dtype; precision; rounded
import numpy as np



def whiten(stream):
    c = stream - stream.mean(-1, keepdims=True)
    return c / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-5)


def fold(g, b, W, c):
    return g[:, None] * W, b @ W + c


def gpt_logits(P, idx, n_head):
    B, n_tok = idx.shape
    V, C = P["wte"].shape
    stream = P["wte"][idx] + P["wpe"][:n_tok]
    for p in P["blocks"]:
        W, c = fold(p["ln1_g"], p["ln1_b"], p["w_qkv"], p["b_qkv"])
        Qh, Kh, v = ((whiten(stream) @ W + c).reshape(B, n_tok, 3, n_head, C // n_head)).transpose(2, 0, 3, 1, 4)
        sim = (Qh / np.sqrt(C // n_head)) @ Kh.swapaxes(-1, -2)
        sim = np.where(np.triu(np.ones((n_tok, n_tok), bool), 1), -np.inf, sim)
        sim = np.exp(sim - sim.max(-1)[..., None])
        a = sim / sim.sum(-1)[..., None]
        stream = stream + (a @ v).swapaxes(1, 2).reshape(B, n_tok, C) @ p["w_o"] + p["b_o"]
        W, c = fold(p["ln2_g"], p["ln2_b"], p["w_fc"], p["b_fc"])
        f = whiten(stream) @ W + c
        f = 0.5 * f * (1 + np.tanh(np.sqrt(2 / np.pi) * (f + 0.044715 * f**3)))
        stream = stream + f @ p["w_proj"] + p["b_proj"]
    return (whiten(stream) @ (P["lnf_g"][:, None] * P["wte"].T) + P["lnf_b"] @ P["wte"].T).astype(np.float32)
