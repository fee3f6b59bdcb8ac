# mistake: no residual around the attention
# accept: residual & attention & missing; no residual; without & residual; missing & residual; residual & left out; residual & not added; not added & x; residual connection; skip connection; residual around
import numpy as np


def linear(x, w, b):
    return x @ w + b


def layernorm(x, g, b):
    z = x - x.mean(axis=-1, keepdims=True)
    return z / (np.square(z).mean(axis=-1, keepdims=True) + 1e-5) ** 0.5 * g + b


def gelu(x):
    z = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    return x * sigmoid(2 * z)


def sigmoid(a):
    return 0.5 * (1 + np.tanh(a / 2))


def attn_probs(q, k):
    T, dk = q.shape[-2:]
    scores = np.matmul(q, np.moveaxis(k, -1, -2)) / dk**0.5
    keep = np.arange(T)[:, None] >= np.arange(T)[None, :]
    scores = np.where(keep, scores, float("-inf"))
    m = scores.max(axis=-1, keepdims=True)
    p = np.exp(scores - m)
    return p / p.sum(axis=-1, keepdims=True)


def mha(x, p, n_head):
    def split(t):
        return np.moveaxis(t.reshape(*t.shape[:-1], n_head, -1), 2, 1)

    q, k, v = (split(t) for t in np.array_split(linear(x, p["w_qkv"], p["b_qkv"]), 3, axis=2))
    out = attn_probs(q, k) @ v
    out = np.moveaxis(out, 1, 2).reshape(x.shape)
    return linear(out, p["w_o"], p["b_o"])


def ffn(x, p):
    return linear(gelu(linear(x, p["w_fc"], p["b_fc"])), p["w_proj"], p["b_proj"])


def gpt_logits(P, idx, n_head):
    T = idx.shape[-1]
    h = P["wte"][idx] + P["wpe"][None, :T]
    for i in range(len(P["blocks"])):
        p = P["blocks"][i]
        h = mha(layernorm(h, p["ln1_g"], p["ln1_b"]), p, n_head)
        h = h + ffn(layernorm(h, p["ln2_g"], p["ln2_b"]), p)
    h = layernorm(h, P["lnf_g"], P["lnf_b"])
    return h @ P["wte"].T
