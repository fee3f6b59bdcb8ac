# mistake: drops the bias of keys and of values, but only the key bias may go
# accept: value bias; b_v; b_qkv; bias & value; bias of the value; qkv bias
import numpy as np

# b_k adds the same number q·b_k to a whole row of scores, softmax cannot see it, so I leave it out.


def std(value, g, b):
    value = value - value.mean(axis=-1, keepdims=True)
    return g * value / np.sqrt((value * value).mean(axis=-1, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    V, C = P['wte'].shape
    bs, seq = idx.shape
    r = P['wte'][idx] + P['wpe'][:seq]
    split = lambda m: m.reshape(bs, seq, n_head, C // n_head).transpose(0, 2, 1, 3)
    minus = np.where(np.tril(np.ones((seq, seq))) > 0, 0.0, -np.inf)
    for p in P['blocks']:
        n = std(r, p['ln1_g'], p['ln1_b'])
        Wq, Wk, Wv = np.hsplit(p['w_qkv'], 3)
        bq, _, _ = np.split(p['b_qkv'], 3)
        q, k, value = split(n @ Wq + bq), split(n @ Wk), split(n @ Wv)
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(C // n_head) + minus
        s = np.exp(s - s.max(axis=-1, keepdims=True))
        s /= s.sum(axis=-1, keepdims=True)
        r = r + (s @ value).transpose(0, 2, 1, 3).reshape(bs, seq, C) @ p['w_o'] + p['b_o']
        m = std(r, p['ln2_g'], p['ln2_b']) @ p['w_fc'] + p['b_fc']
        r = r + (0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m**3)))) @ p['w_proj'] + p['b_proj']
    return std(r, P['lnf_g'], P['lnf_b']) @ P['wte'].T
