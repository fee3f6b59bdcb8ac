# mistake: the scores are multiplied by √d_k instead of divided
# accept: multipl; times √d_k; wrong way; inverse; upside down; instead of divid
import numpy as np


def ln(resid, g, b):
    ex = np.mean(resid, -1, keepdims=True)
    ex2 = np.mean(resid * resid, -1, keepdims=True)
    return g * (resid - ex) / np.sqrt(np.maximum(ex2 - ex * ex, 0) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    B, T = idx.shape[0], idx.shape[1]
    resid = P["wte"][idx, :] + P["wpe"][:T, :]
    D = resid.shape[2]
    for layer in P["blocks"]:
        inp = ln(resid, layer["ln1_g"], layer["ln1_b"])
        qkv = inp.dot(layer["w_qkv"]) + layer["b_qkv"]
        qkv = qkv.reshape(B, T, 3 * n_head, D // n_head).transpose(0, 2, 1, 3)
        q, k, vs = np.split(qkv, 3, axis=1)
        att = q @ k.transpose(0, 1, 3, 2)
        att *= (D // n_head) ** 0.5
        att = np.where(np.tril(np.ones((1, 1, T, T))) == 0, float("-inf"), att)
        att -= att.max(axis=-1, keepdims=True)
        np.exp(att, out=att)
        att /= att.sum(axis=-1, keepdims=True)
        res = (att @ vs).transpose(0, 2, 1, 3).reshape(B, T, D)
        resid = resid + res.dot(layer["w_o"]) + layer["b_o"]
        inp = ln(resid, layer["ln2_g"], layer["ln2_b"])
        h = inp.dot(layer["w_fc"]) + layer["b_fc"]
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
        resid = resid + h.dot(layer["w_proj"]) + layer["b_proj"]
    return ln(resid, P["lnf_g"], P["lnf_b"]).dot(P["wte"].T)
