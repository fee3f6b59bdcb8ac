# mistake: the query bias is dropped, taking it to cancel in the softmax as the key bias does
# accept: query bias; b_q; bias & quer; bias of the quer; qkv bias
import numpy as np


def LN(a, g, b):
    centred = a - np.average(a, axis=-1)[..., None]
    denom = np.sqrt(np.average(centred * centred, axis=-1)[..., None] + 1e-5)
    return centred / denom * g + b


def softmax_rows(a):
    a = np.exp(a - np.amax(a, axis=-1, keepdims=True))
    return np.divide(a, np.sum(a, axis=-1, keepdims=True))


def gpt_logits(P, idx, n_head):
    batch, T = idx.shape
    d = P["wpe"].shape[1]
    size = d // n_head
    x = P["wte"][idx] + P["wpe"][:T]
    visible = np.fromfunction(lambda i, j: j <= i, (T, T))
    for p in P["blocks"]:
        n = LN(x, p["ln1_g"], p["ln1_b"])
        proj = {}
        for i, name in enumerate(["q", "k", "v"]):
            cols = slice(i * d, (i + 1) * d)
            o = n @ p["w_qkv"][:, cols]
            if i == 2:
                o = o + p["b_qkv"][cols]
            proj[name] = o.reshape(batch, T, n_head, size).transpose(0, 2, 1, 3)
        q = proj["q"] * (1 / np.sqrt(size))          # scale once, on the smaller tensor
        probs = softmax_rows(np.where(visible, np.matmul(q, proj["k"].transpose(0, 1, 3, 2)), -np.inf))
        ctx = np.matmul(probs, proj["v"]).transpose(0, 2, 1, 3)
        x = x + ctx.reshape(batch, T, d) @ p["w_o"] + p["b_o"]
        n = LN(x, p["ln2_g"], p["ln2_b"])
        pre = n @ p["w_fc"] + p["b_fc"]
        pre = 0.5 * pre * (1 + np.tanh(np.sqrt(2 / np.pi) * (pre + 0.044715 * pre ** 3)))
        x = x + pre @ p["w_proj"] + p["b_proj"]
    return LN(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
