# mistake: returns the first sequence only, shape (T, V)
# accept: shape; batch; first sequence; dropped; only the first
import numpy as np


def shape_list(acts):
    return list(acts.shape)


def lnorm(acts, g, b, epsilon=1e-5):
    pre = np.mean(acts, axis=-1, keepdims=True)
    logit_s = np.mean(np.square(acts - pre), axis=-1, keepdims=True)
    acts = (acts - pre) * (1 / np.sqrt(logit_s + epsilon))
    return acts * g + b


def gelu_new(acts):
    return 0.5 * acts * (1 + np.tanh(np.sqrt(2 / np.pi) * (acts + 0.044715 * np.power(acts, 3))))


def linear(acts, w, b):
    *start, nx = shape_list(acts)
    return np.reshape(np.matmul(np.reshape(acts, [-1, nx]), w) + b, start + [w.shape[1]])


def attention_mask(nd, ns):
    i = np.arange(nd)[:, None]
    j = np.arange(ns)
    return (i >= j - ns + nd).astype(float)


def mask_attn_weights(w):
    _, _, nd, ns = shape_list(w)
    b = attention_mask(nd, ns).reshape(1, 1, nd, ns)
    return w * b - 1e10 * (1 - b)


def softmax(acts):
    ex = np.exp(acts - np.max(acts, axis=-1, keepdims=True))
    return ex / np.sum(ex, axis=-1, keepdims=True)


def mha_fn(acts, p, n_head):
    def split_heads(t):
        *start, m = shape_list(t)
        return np.transpose(np.reshape(t, start + [n_head, m // n_head]), [0, 2, 1, 3])

    c = linear(acts, p['w_qkv'], p['b_qkv'])
    query, k, Vh = map(split_heads, np.split(c, 3, axis=2))
    w = np.matmul(query, np.transpose(k, [0, 1, 3, 2]))
    w = w * (1.0 / np.sqrt(Vh.shape[-1]))
    a = np.matmul(softmax(mask_attn_weights(w)), Vh)
    a = np.transpose(a, [0, 2, 1, 3])
    *start, m, n = shape_list(a)
    return linear(np.reshape(a, start + [m * n]), p['w_o'], p['b_o'])


def mlp(acts, p):
    return linear(gelu_new(linear(acts, p['w_fc'], p['b_fc'])), p['w_proj'], p['b_proj'])


def gpt_logits(P, idx, n_head):
    batch, sequence = shape_list(idx)
    h = P['wte'][idx] + P['wpe'][np.tile(np.arange(sequence), [batch, 1])]
    for p in P['blocks']:
        h = h + mha_fn(lnorm(h, p['ln1_g'], p['ln1_b']), p, n_head)
        h = h + mlp(lnorm(h, p['ln2_g'], p['ln2_b']), p)
    h = lnorm(h, P['lnf_g'], P['lnf_b'])
    flat = np.reshape(h, [batch * sequence, -1])
    return np.reshape(flat @ P['wte'].T, [batch, sequence, -1])[0]
