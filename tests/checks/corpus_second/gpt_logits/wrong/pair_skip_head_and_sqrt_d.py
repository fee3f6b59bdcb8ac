# mistake: head 0 is skipped and the scale is the root of d
# accept: head 0; first head; head & missing; head & skip; head & left out; head & not computed
# accept: sqrt(d); √d; whole width; d_model; full width; model width
import numpy as np


def ln(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = x.var(-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-5) * g + b


def softmax(s):
    s = s - s.max(-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(-1, keepdims=True)


def head(q, k, v, mask, dm):
    s = q @ k.transpose(0, 2, 1) / np.sqrt(dm)
    s = np.where(mask, s, -np.inf)
    return softmax(s) @ v


def mha(x, p, n_head):
    B, T, d = x.shape
    dk = d // n_head
    q, k, v = np.split(x @ p["w_qkv"] + p["b_qkv"], 3, axis=-1)
    mask = np.tril(np.ones((T, T), dtype=bool))
    outs = [np.zeros((B, T, dk))]
    for i in range(1, n_head):
        cols = slice(i * dk, (i + 1) * dk)
        outs.append(head(q[..., cols], k[..., cols], v[..., cols], mask, d))
    y = np.concatenate(outs, axis=-1)
    return y @ p["w_o"] + p["b_o"]


def gelu(u):
    return 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))


def mlp(x, p):
    return gelu(x @ p["w_fc"] + p["b_fc"]) @ p["w_proj"] + p["b_proj"]


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    x = P["wte"][idx] + P["wpe"][np.arange(T)]
    for p in P["blocks"]:
        x = x + mha(ln(x, p["ln1_g"], p["ln1_b"]), p, n_head)
        x = x + mlp(ln(x, p["ln2_g"], p["ln2_b"]), p)
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
