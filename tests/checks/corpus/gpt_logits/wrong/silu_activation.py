# mistake: SiLU (swish), x·sigmoid(x)
# accept: silu; swish; x·σ(x); x·sigmoid(x); x * sigmoid(x); sigmoid
import numpy as np


def sigmoid(a):
    return np.where(a >= 0, 1 / (1 + np.exp(-np.abs(a))), np.exp(-np.abs(a)) / (1 + np.exp(-np.abs(a))))


def act(z):
    return z * sigmoid(z)


def LN(stream, gamma, beta):
    stream = stream - stream.mean(-1, keepdims=True)
    ln = np.linalg.norm(stream, axis=-1, keepdims=True)
    d = stream.shape[-1]
    return gamma * stream * np.sqrt(d) / np.sqrt(ln**2 + d * 1e-5) + beta


def gpt_logits(P, idx, n_head):
    tok, pos = P["wte"][idx], P["wpe"][: idx.shape[1]]
    stream = tok + pos
    nb, t, d = stream.shape
    for p in P["blocks"]:
        out = LN(stream, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        out = out.reshape(nb, t, 3, n_head, d // n_head)
        Qh, Kh, v = np.transpose(out, (2, 0, 3, 1, 4))
        w = np.where(np.tri(t), Qh @ np.transpose(Kh, (0, 1, 3, 2)) / np.sqrt(d // n_head), -np.inf)
        w = np.exp(w - np.max(w, -1, keepdims=True))
        out = (w / np.sum(w, -1, keepdims=True)) @ v
        out = np.transpose(out, (0, 2, 1, 3)).reshape(nb, t, d)
        stream = stream + out @ p["w_o"] + p["b_o"]
        stream = stream + act(LN(stream, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]) @ p["w_proj"] + p["b_proj"]
    return LN(stream, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
