# mistake: q, k, v are reshaped straight to (B, h, T, dk) without moving axes
# accept: transpos; swap; reshape; scrambl; swapaxes; axes
import numpy as np


def layernorm(x, gain, bias):
    mu = x.mean(-1, keepdims=True)
    variance = x.var(-1, keepdims=True)
    return (x - mu) / np.sqrt(variance + 1e-5) * gain + bias


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def causal_attn(x, block, h):
    batch, T, emb = x.shape
    dk = emb // h
    qkv = x @ block["w_qkv"] + block["b_qkv"]
    qs, k, v = np.split(qkv, 3, axis=-1)
    qs = qs.reshape(batch, h, T, dk)
    k = k.reshape(batch, h, T, dk)
    v = v.reshape(batch, h, T, dk)
    s = qs @ k.transpose(0, 1, 3, 2) / np.sqrt(dk)
    can_see = np.tril(np.ones((T, T), dtype=bool))
    s = np.where(can_see, s, -np.inf)
    y = softmax(s) @ v
    y = y.transpose(0, 2, 1, 3).reshape(batch, T, emb)
    return y @ block["w_o"] + block["b_o"]


def ff(x, block):
    return gelu(x @ block["w_fc"] + block["b_fc"]) @ block["w_proj"] + block["b_proj"]


def gpt_logits(P, idx, n_head):
    batch, T = idx.shape
    x = P["wte"][idx] + P["wpe"][:T]
    for block in P["blocks"]:
        x = x + causal_attn(layernorm(x, block["ln1_g"], block["ln1_b"]), block, n_head)
        x = x + ff(layernorm(x, block["ln2_g"], block["ln2_b"]), block)
    x = layernorm(x, P["lnf_g"], P["lnf_b"])
    return x @ P["wte"].T
