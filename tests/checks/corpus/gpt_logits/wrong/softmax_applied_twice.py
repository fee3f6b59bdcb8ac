# mistake: the softmax is applied twice
# accept: twice; two times; double; second softmax; already
import numpy as np


def shape_list(hid):
    return list(hid.shape)


def LayerNorm_(hid, g, b, epsilon=1e-5):
    hidden = np.mean(hid, axis=-1, keepdims=True)
    sim = np.mean(np.square(hid - hidden), axis=-1, keepdims=True)
    hid = (hid - hidden) * (1 / np.sqrt(sim + epsilon))
    return hid * g + b


def activation(hid):
    return 0.5 * hid * (1 + np.tanh(np.sqrt(2 / np.pi) * (hid + 0.044715 * np.power(hid, 3))))


def conv1d(hid, w, b):
    *start, nx = shape_list(hid)
    return np.reshape(np.matmul(np.reshape(hid, [-1, nx]), w) + b, start + [w.shape[1]])


def attention_mask(nd, ns):
    i = np.arange(nd)[:, None]
    j = np.arange(ns)
    return (i >= j - ns + nd).astype(float)


def mask_attn_weights(w):
    _, _, nd, ns = shape_list(w)
    b = attention_mask(nd, ns).reshape(1, 1, nd, ns)
    return w * b - 1e10 * (1 - b)


def softmax(hid):
    ex = np.exp(hid - np.max(hid, axis=-1, keepdims=True))
    return ex / np.sum(ex, axis=-1, keepdims=True)


def attn(hid, p, n_head):
    def to_heads(t):
        *start, m = shape_list(t)
        return np.transpose(np.reshape(t, start + [n_head, m // n_head]), [0, 2, 1, 3])

    c = conv1d(hid, p["w_qkv"], p["b_qkv"])
    qs, key, vs = map(to_heads, np.split(c, 3, axis=2))
    w = np.matmul(qs, np.transpose(key, [0, 1, 3, 2]))
    w = w * (1.0 / np.sqrt(vs.shape[-1]))
    probs = softmax(mask_attn_weights(w))
    a = np.matmul(softmax(mask_attn_weights(probs)), vs)
    a = np.transpose(a, [0, 2, 1, 3])
    *start, m, n = shape_list(a)
    return conv1d(np.reshape(a, start + [m * n]), p["w_o"], p["b_o"])


def mlp_fn(hid, p):
    return conv1d(activation(conv1d(hid, p["w_fc"], p["b_fc"])), p["w_proj"], p["b_proj"])


def gpt_logits(P, idx, n_head):
    batch, sequence = shape_list(idx)
    h = P["wte"][idx] + P["wpe"][np.tile(np.arange(sequence), [batch, 1])]
    for p in P["blocks"]:
        h = h + attn(LayerNorm_(h, p["ln1_g"], p["ln1_b"]), p, n_head)
        h = h + mlp_fn(LayerNorm_(h, p["ln2_g"], p["ln2_b"]), p)
    h = LayerNorm_(h, P["lnf_g"], P["lnf_b"])
    flat = np.reshape(h, [batch * sequence, -1])
    return np.reshape(flat @ P["wte"].T, [batch, sequence, -1])
