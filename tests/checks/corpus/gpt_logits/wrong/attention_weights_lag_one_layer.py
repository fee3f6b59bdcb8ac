# mistake: the MLP takes the weights of the next layer (i+1, wrapping) instead of its own
# accept: wrong layer; next layer; another layer; other block; next block; another block; wrong block; layer's; block's; different block; mlp
import numpy as np


def lnorm(x, g, b):
    ex = np.mean(x, -1, keepdims=True)
    ex2 = np.mean(x * x, -1, keepdims=True)
    return g * (x - ex) / np.sqrt(np.maximum(ex2 - ex * ex, 0) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    batch, t = idx.shape[0], idx.shape[1]
    x = P["wte"][idx, :] + P["wpe"][:t, :]
    D = x.shape[2]
    n_layers = len(P["blocks"])
    for i, lw in enumerate(P["blocks"]):
        following = P["blocks"][(i + 1) % n_layers]
        inp = lnorm(x, lw["ln1_g"], lw["ln1_b"])
        qkv = inp.dot(lw["w_qkv"]) + lw["b_qkv"]
        qkv = qkv.reshape(batch, t, 3 * n_head, D // n_head).transpose(0, 2, 1, 3)
        qs, k, vs = np.split(qkv, 3, axis=1)
        wei = qs @ k.transpose(0, 1, 3, 2)
        wei *= (D // n_head) ** -0.5
        wei = np.where(np.tril(np.ones((1, 1, t, t))) == 0, float("-inf"), wei)
        wei -= wei.max(axis=-1, keepdims=True)
        np.exp(wei, out=wei)
        wei /= wei.sum(axis=-1, keepdims=True)
        res = (wei @ vs).transpose(0, 2, 1, 3).reshape(batch, t, D)
        x = x + res.dot(lw["w_o"]) + lw["b_o"]
        inp = lnorm(x, lw["ln2_g"], lw["ln2_b"])
        h = inp.dot(following["w_fc"]) + following["b_fc"]
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
        x = x + h.dot(following["w_proj"]) + following["b_proj"]
    return lnorm(x, P["lnf_g"], P["lnf_b"]).dot(P["wte"].T)
