# mistake: two: the exact GELU, and w_o used transposed
# accept: exact; erf; tanh form; tanh approx
# accept: w_o; output projection; transpos
import math

import numpy as np


def shape_list(x):
    return list(x.shape)


def lnorm(x, g, b, epsilon=1e-5):
    u = np.mean(x, axis=-1, keepdims=True)
    s = np.mean(np.square(x - u), axis=-1, keepdims=True)
    x = (x - u) * (1 / np.sqrt(s + epsilon))
    return x * g + b


def gelu(x):
    cdf = 0.5 * (1.0 + np.frompyfunc(math.erf, 1, 1)(x / np.sqrt(2.0)).astype(np.float64))
    return x * cdf


def dense(x, w, b):
    *start, nx = shape_list(x)
    return np.reshape(np.matmul(np.reshape(x, [-1, nx]), w) + b, start + [w.shape[1]])


def attention_mask(nd, ns):
    i = np.arange(nd)[:, None]
    j = np.arange(ns)
    return (i >= j - ns + nd).astype(float)


def mask_attn_weights(w):
    _, _, nd, ns = shape_list(w)
    b = attention_mask(nd, ns).reshape(1, 1, nd, ns)
    return w * b - 1e10 * (1 - b)


def softmax(x):
    ex = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return ex / np.sum(ex, axis=-1, keepdims=True)


def attn(x, lp, n_head):
    def heads_first(t):
        *start, m = shape_list(t)
        return np.transpose(np.reshape(t, start + [n_head, m // n_head]), [0, 2, 1, 3])

    c = dense(x, lp["w_qkv"], lp["b_qkv"])
    qs, ks, Vh = map(heads_first, np.split(c, 3, axis=2))
    w = np.matmul(qs, np.transpose(ks, [0, 1, 3, 2]))
    w = w * (1.0 / np.sqrt(Vh.shape[-1]))
    a = np.matmul(softmax(mask_attn_weights(w)), Vh)
    a = np.transpose(a, [0, 2, 1, 3])
    *start, m, n = shape_list(a)
    return dense(np.reshape(a, start + [m * n]), lp["w_o"].T, lp["b_o"])


def mlp(x, lp):
    return dense(gelu(dense(x, lp["w_fc"], lp["b_fc"])), lp["w_proj"], lp["b_proj"])


def gpt_logits(P, idx, n_head):
    batch, sequence = shape_list(idx)
    h = P["wte"][idx] + P["wpe"][np.tile(np.arange(sequence), [batch, 1])]
    for lp in P["blocks"]:
        h = h + attn(lnorm(h, lp["ln1_g"], lp["ln1_b"]), lp, n_head)
        h = h + mlp(lnorm(h, lp["ln2_g"], lp["ln2_b"]), lp)
    h = lnorm(h, P["lnf_g"], P["lnf_b"])
    flat = np.reshape(h, [batch * sequence, -1])
    return np.reshape(flat @ P["wte"].T, [batch, sequence, -1])
