# mistake: LayerNorm's eps is 1e-6 (Keras' habit), GPT-2 has 1e-5
# accept: eps; epsilon; 1e-6; 1e-5; ε
import numpy as np


def shape_of(x):
    return list(x.shape)


def layer_normalization(x, g, b, epsilon=1e-6):
    u = np.mean(x, axis=-1, keepdims=True)
    s = np.mean(np.square(x - u), axis=-1, keepdims=True)
    x = (x - u) * (1 / np.sqrt(s + epsilon))
    return x * g + b


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * np.power(x, 3))))


def conv1d(x, w, b):
    *start, nx = shape_of(x)
    return np.reshape(np.matmul(np.reshape(x, [-1, nx]), w) + b, start + [w.shape[1]])


def attention_mask(nd, ns):
    i = np.arange(nd)[:, None]
    j = np.arange(ns)
    return (i >= j - ns + nd).astype(float)


def mask_attn_weights(w):
    _, _, nd, ns = shape_of(w)
    b = attention_mask(nd, ns).reshape(1, 1, nd, ns)
    return w * b - 1e10 * (1 - b)


def softmax(x):
    ex = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return ex / np.sum(ex, axis=-1, keepdims=True)


def attn(x, p, n_head):
    def split_heads(t):
        *start, m = shape_of(t)
        return np.transpose(np.reshape(t, start + [n_head, m // n_head]), [0, 2, 1, 3])

    c = conv1d(x, p["w_qkv"], p["b_qkv"])
    q, k, v = map(split_heads, np.split(c, 3, axis=2))
    w = np.matmul(q, np.transpose(k, [0, 1, 3, 2]))
    w = w * (1.0 / np.sqrt(v.shape[-1]))
    a = np.matmul(softmax(mask_attn_weights(w)), v)
    a = np.transpose(a, [0, 2, 1, 3])
    *start, m, n = shape_of(a)
    return conv1d(np.reshape(a, start + [m * n]), p["w_o"], p["b_o"])


def feed_forward(x, p):
    return conv1d(gelu(conv1d(x, p["w_fc"], p["b_fc"])), p["w_proj"], p["b_proj"])


def gpt_logits(P, idx, n_head):
    batch, sequence = shape_of(idx)
    h = P["wte"][idx] + P["wpe"][np.tile(np.arange(sequence), [batch, 1])]
    for p in P["blocks"]:
        h = h + attn(layer_normalization(h, p["ln1_g"], p["ln1_b"]), p, n_head)
        h = h + feed_forward(layer_normalization(h, p["ln2_g"], p["ln2_b"]), p)
    h = layer_normalization(h, P["lnf_g"], P["lnf_b"])
    flat = np.reshape(h, [batch * sequence, -1])
    return np.reshape(flat @ P["wte"].T, [batch, sequence, -1])
