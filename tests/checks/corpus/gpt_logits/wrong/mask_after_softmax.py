# mistake: weights are masked after the softmax and not renormalised
# accept: after the softmax; renormal; sum to 1; sum to one; not normal; softmax & before
import numpy as np


def norm(hid, gain, bias):
    mu = hid.mean(-1, keepdims=True)
    s2 = hid.var(-1, keepdims=True)
    return (hid - mu) / np.sqrt(s2 + 1e-5) * gain + bias


def gelu(hid):
    return 0.5 * hid * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (hid + 0.044715 * hid**3)))


def row_softmax(hid):
    e = np.exp(hid - hid.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attn(hid, blk, h):
    bs, T, d = hid.shape
    head_dim = d // h
    qkv = hid @ blk['w_qkv'] + blk['b_qkv']
    qs, ks, v = np.split(qkv, 3, axis=-1)
    qs = qs.reshape(bs, T, h, head_dim).transpose(0, 2, 1, 3)
    ks = ks.reshape(bs, T, h, head_dim).transpose(0, 2, 1, 3)
    v = v.reshape(bs, T, h, head_dim).transpose(0, 2, 1, 3)
    sc = qs @ ks.transpose(0, 1, 3, 2) / np.sqrt(head_dim)
    allowed = np.tril(np.ones((T, T), dtype=bool))
    ctx = (row_softmax(sc) * allowed) @ v
    ctx = ctx.transpose(0, 2, 1, 3).reshape(bs, T, d)
    return ctx @ blk['w_o'] + blk['b_o']


def ff(hid, blk):
    return gelu(hid @ blk['w_fc'] + blk['b_fc']) @ blk['w_proj'] + blk['b_proj']


def gpt_logits(P, idx, n_head):
    bs, T = idx.shape
    hid = P['wte'][idx] + P['wpe'][:T]
    for blk in P['blocks']:
        hid = hid + attn(norm(hid, blk['ln1_g'], blk['ln1_b']), blk, n_head)
        hid = hid + ff(norm(hid, blk['ln2_g'], blk['ln2_b']), blk)
    hid = norm(hid, P['lnf_g'], P['lnf_b'])
    return hid @ P['wte'].T
