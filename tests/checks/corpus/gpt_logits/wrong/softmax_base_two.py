# mistake: powers of 2 instead of e in the softmax
# accept: base 2; powers of 2; exp2; 2**; base two; not e; temperature; ln 2
import numpy as np


def sigmoid(a):
    return np.where(a >= 0, 1 / (1 + np.exp(-np.abs(a))), np.exp(-np.abs(a)) / (1 + np.exp(-np.abs(a))))


def gelu(z):
    return z * sigmoid(np.sqrt(8 / np.pi) * (z + 0.044715 * z**3))


def ln(x, gamma, beta):
    x = x - x.mean(-1, keepdims=True)
    normalize = np.linalg.norm(x, axis=-1, keepdims=True)
    emb = x.shape[-1]
    return gamma * x * np.sqrt(emb) / np.sqrt(normalize**2 + emb * 1e-5) + beta


def gpt_logits(P, idx, n_head):
    tok, pos = P["wte"][idx], P["wpe"][: idx.shape[1]]
    x = tok + pos
    B, t, emb = x.shape
    for blk in P["blocks"]:
        ctx = ln(x, blk["ln1_g"], blk["ln1_b"]) @ blk["w_qkv"] + blk["b_qkv"]
        ctx = ctx.reshape(B, t, 3, n_head, emb // n_head)
        Qh, Kh, vs = np.transpose(ctx, (2, 0, 3, 1, 4))
        w = np.where(np.tri(t), Qh @ np.transpose(Kh, (0, 1, 3, 2)) / np.sqrt(emb // n_head), -np.inf)
        w = np.exp2(w - np.max(w, -1, keepdims=True))
        ctx = (w / np.sum(w, -1, keepdims=True)) @ vs
        ctx = np.transpose(ctx, (0, 2, 1, 3)).reshape(B, t, emb)
        x = x + ctx @ blk["w_o"] + blk["b_o"]
        x = x + gelu(ln(x, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]) @ blk["w_proj"] + blk["b_proj"]
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
