# mistake: attention and MLP read the same input, as in GPT-J
# accept: parallel; GPT-J; same input; before the attention; without the attention; both read; MLP reads; side by side; same x
import numpy as np


def shape_list(x):
    return list(x.shape)


def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    ex = np.exp(x)
    return ex / np.sum(ex, axis=axis, keepdims=True)


def gelu(x):
    return 0.5*x*(1+np.tanh(np.sqrt(2/np.pi)*(x+0.044715*x*x*x)))


def norm(x, g, b, axis=-1, epsilon=1e-5):
    u = np.mean(x, axis=axis, keepdims=True)
    s = np.mean(np.square(x-u), axis=axis, keepdims=True)
    x = (x - u) * (1 / np.sqrt(s + epsilon))
    x = x*g + b
    return x


def split_states(x, n):
    *start, m = shape_list(x)
    return np.reshape(x, start + [n, m//n])


def merge_states(x):
    *start, a, b = shape_list(x)
    return np.reshape(x, start + [a*b])


def conv1d(x, w, b):
    *start, nx = shape_list(x)
    nf = w.shape[1]
    return np.reshape(np.matmul(np.reshape(x, [-1, nx]), w) + b, start + [nf])


def attention_mask(nd, ns):
    i = np.arange(nd)[:, None]
    j = np.arange(ns)
    return i >= j - ns + nd


def attn(x, blk, n_head):
    def split_heads(x):
        return np.transpose(split_states(x, n_head), [0, 2, 1, 3])

    def merge_heads(x):
        return merge_states(np.transpose(x, [0, 2, 1, 3]))

    def mask_attn_weights(w):
        _, _, nd, ns = shape_list(w)
        b = attention_mask(nd, ns)
        b = np.reshape(b, [1, 1, nd, ns])
        w = np.where(b, w, -1e300)
        return w

    def multihead_attn(q, k, v):
        w = np.matmul(q, np.transpose(k, [0, 1, 3, 2]))
        w = w * (1.0 / np.sqrt(v.shape[-1]))
        w = mask_attn_weights(w)
        w = softmax(w)
        return np.matmul(w, v)

    c = conv1d(x, blk["w_qkv"], blk["b_qkv"])
    q, k, v = map(split_heads, np.split(c, 3, axis=2))
    a = multihead_attn(q, k, v)
    a = merge_heads(a)
    a = conv1d(a, blk["w_o"], blk["b_o"])
    return a


def mlp(x, blk):
    h = gelu(conv1d(x, blk["w_fc"], blk["b_fc"]))
    h2 = conv1d(h, blk["w_proj"], blk["b_proj"])
    return h2


def block(x, blk, n_head):
    a = attn(norm(x, blk["ln1_g"], blk["ln1_b"]), blk, n_head)
    m = mlp(norm(x, blk["ln2_g"], blk["ln2_b"]), blk)
    x = x + a + m
    return x


def gpt_logits(P, idx, n_head):
    batch, sequence = shape_list(idx)
    wte, wpe = P["wte"], P["wpe"]
    h = wte[idx] + wpe[np.arange(sequence)]
    for layer, blk in enumerate(P["blocks"]):
        h = block(h, blk, n_head)
    h = norm(h, P["lnf_g"], P["lnf_b"])
    h_flat = np.reshape(h, [batch*sequence, -1])
    logits = np.matmul(h_flat, wte.T)
    return np.reshape(logits, [batch, sequence, -1])
