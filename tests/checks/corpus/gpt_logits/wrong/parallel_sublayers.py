# mistake: attention and MLP both read the block's input and are added together (GPT-J's parallel block)
# accept: parallel; same input; before attention; same x; side by side; without attention's; block's input; updated stream; not the updated; stale
import numpy as np


def pre_norm(x, g, b):
    return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True, ddof=0) + 1e-5) + b


def self_attention(x, lp, heads):
    *lead, n_tok, dim = x.shape
    q, key, v = np.split(x @ lp['w_qkv'] + lp['b_qkv'], 3, axis=-1)
    cut = lambda t: np.swapaxes(t.reshape(*lead, n_tok, heads, dim // heads), -2, -3)
    att = cut(q) @ np.swapaxes(cut(key), -1, -2) / np.sqrt(dim // heads)
    att = np.where(np.tril(np.full((n_tok, n_tok), True)), att, -np.inf)
    att = np.exp(att - att.max(-1, keepdims=True))
    att = att / att.sum(-1, keepdims=True)
    return np.swapaxes(att @ cut(v), -2, -3).reshape(*lead, n_tok, dim) @ lp['w_o'] + lp['b_o']


def feed_forward(x, lp):
    pre = x @ lp['w_fc'] + lp['b_fc']
    return (0.5 * pre * (1 + np.tanh(np.sqrt(2 / np.pi) * (pre + 0.044715 * pre**3)))) @ lp['w_proj'] + lp['b_proj']


def stack(x, layers, heads):
    if not layers:
        return x
    lp, rest = layers[0], layers[1:]
    a = self_attention(pre_norm(x, lp['ln1_g'], lp['ln1_b']), lp, heads)
    m = feed_forward(pre_norm(x, lp['ln2_g'], lp['ln2_b']), lp)
    return stack(x + a + m, rest, heads)


def gpt_logits(P, idx, n_head):
    x = P['wte'][idx] + P['wpe'][: idx.shape[1]]
    x = stack(x, list(P['blocks']), n_head)
    return pre_norm(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
