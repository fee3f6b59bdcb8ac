# mistake: the thirds are read as v, k, q
# accept: order; q, k, v; swap; exchang; v, k, q; values and queries; permut; q and v; query and value; queries and values; mixed up
import numpy as np


def shape_list(resid):
    return list(resid.shape)


def ln(resid, g, b, epsilon=1e-5):
    u = np.mean(resid, axis=-1, keepdims=True)
    s = np.mean(np.square(resid - u), axis=-1, keepdims=True)
    resid = (resid - u) * (1 / np.sqrt(s + epsilon))
    return resid * g + b


def gelu_tanh(resid):
    return 0.5 * resid * (1 + np.tanh(np.sqrt(2 / np.pi) * (resid + 0.044715 * np.power(resid, 3))))


def linear(resid, w, b):
    *start, nx = shape_list(resid)
    return np.reshape(np.matmul(np.reshape(resid, [-1, nx]), w) + b, start + [w.shape[1]])


def attention_mask(nd, ns):
    i = np.arange(nd)[:, None]
    j = np.arange(ns)
    return (i >= j - ns + nd).astype(float)


def mask_attn_weights(w):
    _, _, nd, ns = shape_list(w)
    b = attention_mask(nd, ns).reshape(1, 1, nd, ns)
    return w * b - 1e10 * (1 - b)


def row_softmax(resid):
    ex = np.exp(resid - np.max(resid, axis=-1, keepdims=True))
    return ex / np.sum(ex, axis=-1, keepdims=True)


def attention(resid, blk, n_head):
    def split_heads(t):
        *start, m = shape_list(t)
        return np.transpose(np.reshape(t, start + [n_head, m // n_head]), [0, 2, 1, 3])

    c = linear(resid, blk['w_qkv'], blk['b_qkv'])
    vs, Kh, q = map(split_heads, np.split(c, 3, axis=2))
    w = np.matmul(q, np.transpose(Kh, [0, 1, 3, 2]))
    w = w * (1.0 / np.sqrt(vs.shape[-1]))
    a = np.matmul(row_softmax(mask_attn_weights(w)), vs)
    a = np.transpose(a, [0, 2, 1, 3])
    *start, m, n = shape_list(a)
    return linear(np.reshape(a, start + [m * n]), blk['w_o'], blk['b_o'])


def mlp(resid, blk):
    return linear(gelu_tanh(linear(resid, blk['w_fc'], blk['b_fc'])), blk['w_proj'], blk['b_proj'])


def gpt_logits(P, idx, n_head):
    batch, sequence = shape_list(idx)
    h = P['wte'][idx] + P['wpe'][np.tile(np.arange(sequence), [batch, 1])]
    for blk in P['blocks']:
        h = h + attention(ln(h, blk['ln1_g'], blk['ln1_b']), blk, n_head)
        h = h + mlp(ln(h, blk['ln2_g'], blk['ln2_b']), blk)
    h = ln(h, P['lnf_g'], P['lnf_b'])
    flat = np.reshape(h, [batch * sequence, -1])
    return np.reshape(flat @ P['wte'].T, [batch, sequence, -1])
