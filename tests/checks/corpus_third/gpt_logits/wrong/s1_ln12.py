# mistake: second layer norm with the first one's parameters
# accept: ln1 & as well; ln1 & ln2; first & second; ln1 & again; ln1 & both; same & both
import numpy as np


def layer_norm(x, g, b, eps=1e-5):
    mu = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return g * (x - mu) / np.sqrt(var + eps) + b


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


def softmax(z):
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def attention(x, blk, n_head):
    B, T, d = x.shape
    hs = d // n_head
    qkv = x @ blk["w_qkv"] + blk["b_qkv"]
    q, k, v = np.split(qkv, 3, axis=-1)
    q = q.reshape(B, T, n_head, hs).transpose(0, 2, 1, 3)
    k = k.reshape(B, T, n_head, hs).transpose(0, 2, 1, 3)
    v = v.reshape(B, T, n_head, hs).transpose(0, 2, 1, 3)
    att = q @ k.transpose(0, 1, 3, 2) / np.sqrt(hs)
    mask = np.tril(np.ones((T, T)))
    att = np.where(mask == 0, -np.inf, att)
    att = softmax(att)
    y = att @ v
    y = y.transpose(0, 2, 1, 3).reshape(B, T, d)
    return y @ blk["w_o"] + blk["b_o"]


def mlp(x, blk):
    h = gelu(x @ blk["w_fc"] + blk["b_fc"])
    return h @ blk["w_proj"] + blk["b_proj"]


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    x = P["wte"][idx] + P["wpe"][np.arange(T)]
    for blk in P["blocks"]:
        x = x + attention(layer_norm(x, blk["ln1_g"], blk["ln1_b"]), blk, n_head)
        x = x + mlp(layer_norm(x, blk["ln1_g"], blk["ln1_b"]), blk)
    x = layer_norm(x, P["lnf_g"], P["lnf_b"])
    return x @ P["wte"].T
