# mistake: writes a new entry lm_head into the caller's parameter dict and keeps using it in later calls
# accept: in place; mutat; changes; changed; modif; input; second call; altered; adds a key; new key; lm_head; dict
# shows: mutation
import numpy as np


def norm_(x, g, b):
    ex = np.mean(x, -1, keepdims=True)
    ex2 = np.mean(x * x, -1, keepdims=True)
    return g * (x - ex) / np.sqrt(np.maximum(ex2 - ex * ex, 0) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    B, n_tok = idx.shape[0], idx.shape[1]
    x = P["wte"][idx, :] + P["wpe"][:n_tok, :]
    D = x.shape[2]
    for layer in P["blocks"]:
        inp = norm_(x, layer["ln1_g"], layer["ln1_b"])
        qkv = inp.dot(layer["w_qkv"]) + layer["b_qkv"]
        qkv = qkv.reshape(B, n_tok, 3 * n_head, D // n_head).transpose(0, 2, 1, 3)
        query, key, v = np.split(qkv, 3, axis=1)
        wei = query @ key.transpose(0, 1, 3, 2)
        wei *= (D // n_head) ** -0.5
        wei = np.where(np.tril(np.ones((1, 1, n_tok, n_tok))) == 0, float("-inf"), wei)
        wei -= wei.max(axis=-1, keepdims=True)
        np.exp(wei, out=wei)
        wei /= wei.sum(axis=-1, keepdims=True)
        res = (wei @ v).transpose(0, 2, 1, 3).reshape(B, n_tok, D)
        x = x + res.dot(layer["w_o"]) + layer["b_o"]
        inp = norm_(x, layer["ln2_g"], layer["ln2_b"])
        h = inp.dot(layer["w_fc"]) + layer["b_fc"]
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
        x = x + h.dot(layer["w_proj"]) + layer["b_proj"]
    if "lm_head" not in P:
        P["lm_head"] = P["wte"].T.copy()
    return norm_(x, P["lnf_g"], P["lnf_b"]).dot(P["lm_head"])
