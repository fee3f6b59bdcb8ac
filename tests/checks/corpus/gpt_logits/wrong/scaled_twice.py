# mistake: both the queries and the scores are divided by √d_k, so the scale is 1/d_k
# accept: twice; by d_k; 1/d_k; without the root; without the square root; no square root; double; two times; missing square root; square root is missing
import numpy as np


def layerNorm(a, g, b):
    centred = a - np.average(a, axis=-1)[..., None]
    denom = np.sqrt(np.average(centred * centred, axis=-1)[..., None] + 1e-5)
    return centred / denom * g + b


def softmax_rows(a):
    a = np.exp(a - np.amax(a, axis=-1, keepdims=True))
    return np.divide(a, np.sum(a, axis=-1, keepdims=True))


def gpt_logits(P, idx, n_head):
    B, t = idx.shape
    dim = P["wpe"].shape[1]
    size = dim // n_head
    resid = P["wte"][idx] + P["wpe"][:t]
    visible = np.fromfunction(lambda i, j: j <= i, (t, t))
    for blk in P["blocks"]:
        n = layerNorm(resid, blk["ln1_g"], blk["ln1_b"])
        proj = {}
        for i, name in enumerate(["q", "k", "v"]):
            cols = slice(i * dim, (i + 1) * dim)
            o = n @ blk["w_qkv"][:, cols] + blk["b_qkv"][cols]
            proj[name] = o.reshape(B, t, n_head, size).transpose(0, 2, 1, 3)
        qs = proj["q"] * (1 / np.sqrt(size))          # scale once, on the smaller tensor
        probs = softmax_rows(np.where(visible, np.matmul(qs, proj["k"].transpose(0, 1, 3, 2)) / np.sqrt(size), -np.inf))
        ctx = np.matmul(probs, proj["v"]).transpose(0, 2, 1, 3)
        resid = resid + ctx.reshape(B, t, dim) @ blk["w_o"] + blk["b_o"]
        n = layerNorm(resid, blk["ln2_g"], blk["ln2_b"])
        u = n @ blk["w_fc"] + blk["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u ** 3)))
        resid = resid + u @ blk["w_proj"] + blk["b_proj"]
    return layerNorm(resid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
