# mistake: GPT-1: LayerNorm after each addition and none at the end (two at once)
# accept: post; after the residual; after the addition; after adding; order; after each
# accept: final layernorm; last layernorm; lnf; ln_f; final norm; before the head; post; after the residual; after each
import numpy as np


def Norm(x, g, b, e=1e-5):
    u = x.mean(-1, keepdims=True)
    s = ((x - u) ** 2).mean(-1, keepdims=True)
    return g * (x - u) / np.sqrt(s + e) + b


def Attn(x, w, heads):
    B, T, n = x.shape
    q, k, v = np.split(x @ w["w_qkv"] + w["b_qkv"], 3, 2)
    sp = lambda t: t.reshape(B, T, heads, n // heads).transpose(0, 2, 1, 3)
    a = sp(q) @ sp(k).transpose(0, 1, 3, 2) / np.sqrt(n // heads)
    a = a * np.tril(np.ones((T, T))) + -1e9 * (1 - np.tril(np.ones((T, T))))
    a = np.exp(a - a.max(-1, keepdims=True))
    a = a / a.sum(-1, keepdims=True)
    return (a @ sp(v)).transpose(0, 2, 1, 3).reshape(B, T, n) @ w["w_o"] + w["b_o"]


def MLP(x, w):
    h = x @ w["w_fc"] + w["b_fc"]
    return (0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))) @ w["w_proj"] + w["b_proj"]


def gpt_logits(P, idx, n_head):
    h = P["wte"][idx] + P["wpe"][: idx.shape[1]]
    for w in P["blocks"]:
        n = Norm(h + Attn(h, w, n_head), w["ln1_g"], w["ln1_b"])
        h = Norm(n + MLP(n, w), w["ln2_g"], w["ln2_b"])
    return h @ P["wte"].T
