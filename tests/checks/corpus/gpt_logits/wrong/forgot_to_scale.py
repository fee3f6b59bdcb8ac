# mistake: the scores are not scaled at all
# accept: not scaled; unscaled; no scal; without scal; without the scal; not divided; never divided; missing scal; scale is missing; scale missing; scaling is missing; without dividing; lacks; forgot; without 1/√d_k; no 1/√d_k
import numpy as np


def dims(x):
    return list(x.shape)


def ln(x, g, b, epsilon=1e-5):
    pre = np.mean(x, axis=-1, keepdims=True)
    sim = np.mean(np.square(x - pre), axis=-1, keepdims=True)
    x = (x - pre) * (1 / np.sqrt(sim + epsilon))
    return x * g + b


def gelu_new(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * np.power(x, 3))))


def dense(x, w, b):
    *start, nx = dims(x)
    return np.reshape(np.matmul(np.reshape(x, [-1, nx]), w) + b, start + [w.shape[1]])


def attention_mask(nd, ns):
    i = np.arange(nd)[:, None]
    j = np.arange(ns)
    return (i >= j - ns + nd).astype(float)


def mask_attn_weights(w):
    _, _, nd, ns = dims(w)
    b = attention_mask(nd, ns).reshape(1, 1, nd, ns)
    return w * b - 1e10 * (1 - b)


def row_softmax(x):
    ex = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return ex / np.sum(ex, axis=-1, keepdims=True)


def attention(x, par, n_head):
    def split_heads(t):
        *start, m = dims(t)
        return np.transpose(np.reshape(t, start + [n_head, m // n_head]), [0, 2, 1, 3])

    c = dense(x, par["w_qkv"], par["b_qkv"])
    query, k, v = map(split_heads, np.split(c, 3, axis=2))
    w = np.matmul(query, np.transpose(k, [0, 1, 3, 2]))

    a = np.matmul(row_softmax(mask_attn_weights(w)), v)
    a = np.transpose(a, [0, 2, 1, 3])
    *start, m, n = dims(a)
    return dense(np.reshape(a, start + [m * n]), par["w_o"], par["b_o"])


def mlp(x, par):
    return dense(gelu_new(dense(x, par["w_fc"], par["b_fc"])), par["w_proj"], par["b_proj"])


def gpt_logits(P, idx, n_head):
    batch, sequence = dims(idx)
    h = P["wte"][idx] + P["wpe"][np.tile(np.arange(sequence), [batch, 1])]
    for par in P["blocks"]:
        h = h + attention(ln(h, par["ln1_g"], par["ln1_b"]), par, n_head)
        h = h + mlp(ln(h, par["ln2_g"], par["ln2_b"]), par)
    h = ln(h, P["lnf_g"], P["lnf_b"])
    flat = np.reshape(h, [batch * sequence, -1])
    return np.reshape(flat @ P["wte"].T, [batch, sequence, -1])
