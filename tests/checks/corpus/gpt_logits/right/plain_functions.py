import numpy as np


def layernorm(x, gain, bias):
    mu = x.mean(-1, keepdims=True)
    var = x.var(-1, keepdims=True)
    return (x - mu) / np.sqrt(var + 1e-5) * gain + bias


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(x, blk, h):
    B, T, d = x.shape
    dk = d // h
    qkv = x @ blk["w_qkv"] + blk["b_qkv"]
    q, k, v = np.split(qkv, 3, axis=-1)
    q = q.reshape(B, T, h, dk).transpose(0, 2, 1, 3)
    k = k.reshape(B, T, h, dk).transpose(0, 2, 1, 3)
    v = v.reshape(B, T, h, dk).transpose(0, 2, 1, 3)
    s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(dk)
    allowed = np.tril(np.ones((T, T), dtype=bool))
    s = np.where(allowed, s, -np.inf)
    y = softmax(s) @ v
    y = y.transpose(0, 2, 1, 3).reshape(B, T, d)
    return y @ blk["w_o"] + blk["b_o"]


def mlp(x, blk):
    return gelu(x @ blk["w_fc"] + blk["b_fc"]) @ blk["w_proj"] + blk["b_proj"]


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    x = P["wte"][idx] + P["wpe"][:T]
    for blk in P["blocks"]:
        x = x + attention(layernorm(x, blk["ln1_g"], blk["ln1_b"]), blk, n_head)
        x = x + mlp(layernorm(x, blk["ln2_g"], blk["ln2_b"]), blk)
    x = layernorm(x, P["lnf_g"], P["lnf_b"])
    return x @ P["wte"].T
