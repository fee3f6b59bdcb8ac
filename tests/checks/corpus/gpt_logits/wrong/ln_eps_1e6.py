# mistake: LayerNorm's eps is 1e-6 (Keras' habit), GPT-2 has 1e-5
# accept: eps; epsilon; 1e-6; 1e-5; ε
import numpy as np


def shape_of(stream):
    return list(stream.shape)


def layer_normalization(stream, g, b, epsilon=1e-6):
    u = np.mean(stream, axis=-1, keepdims=True)
    dots = np.mean(np.square(stream - u), axis=-1, keepdims=True)
    stream = (stream - u) * (1 / np.sqrt(dots + epsilon))
    return stream * g + b


def gelu(stream):
    return 0.5 * stream * (1 + np.tanh(np.sqrt(2 / np.pi) * (stream + 0.044715 * np.power(stream, 3))))


def linear(stream, w, b):
    *start, nx = shape_of(stream)
    return np.reshape(np.matmul(np.reshape(stream, [-1, nx]), w) + b, start + [w.shape[1]])


def attention_mask(nd, ns):
    i = np.arange(nd)[:, None]
    j = np.arange(ns)
    return (i >= j - ns + nd).astype(float)


def mask_attn_weights(w):
    _, _, nd, ns = shape_of(w)
    b = attention_mask(nd, ns).reshape(1, 1, nd, ns)
    return w * b - 1e10 * (1 - b)


def softmax(stream):
    ex = np.exp(stream - np.max(stream, axis=-1, keepdims=True))
    return ex / np.sum(ex, axis=-1, keepdims=True)


def attn(stream, lp, n_head):
    def to_heads(t):
        *start, m = shape_of(t)
        return np.transpose(np.reshape(t, start + [n_head, m // n_head]), [0, 2, 1, 3])

    c = linear(stream, lp["w_qkv"], lp["b_qkv"])
    qs, key, Vh = map(to_heads, np.split(c, 3, axis=2))
    w = np.matmul(qs, np.transpose(key, [0, 1, 3, 2]))
    w = w * (1.0 / np.sqrt(Vh.shape[-1]))
    a = np.matmul(softmax(mask_attn_weights(w)), Vh)
    a = np.transpose(a, [0, 2, 1, 3])
    *start, m, n = shape_of(a)
    return linear(np.reshape(a, start + [m * n]), lp["w_o"], lp["b_o"])


def feed_forward(stream, lp):
    return linear(gelu(linear(stream, lp["w_fc"], lp["b_fc"])), lp["w_proj"], lp["b_proj"])


def gpt_logits(P, idx, n_head):
    batch, sequence = shape_of(idx)
    h = P["wte"][idx] + P["wpe"][np.tile(np.arange(sequence), [batch, 1])]
    for lp in P["blocks"]:
        h = h + attn(layer_normalization(h, lp["ln1_g"], lp["ln1_b"]), lp, n_head)
        h = h + feed_forward(layer_normalization(h, lp["ln2_g"], lp["ln2_b"]), lp)
    h = layer_normalization(h, P["lnf_g"], P["lnf_b"])
    flat = np.reshape(h, [batch * sequence, -1])
    return np.reshape(flat @ P["wte"].T, [batch, sequence, -1])
