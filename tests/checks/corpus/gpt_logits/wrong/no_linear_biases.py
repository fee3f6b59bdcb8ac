# mistake: all four biases of the linear layers are left out (LLaMA style)
# accept: biases; b_qkv; b_fc; bias & linear; bias & missing; no bias; without bias; every bias; all bias
import numpy as np


def normed(xs, g, b):
    return g * (xs - xs.mean(-1, keepdims=True)) / np.sqrt(xs.var(-1, keepdims=True, ddof=0) + 1e-5) + b


def self_attention(xs, p, heads):
    *lead, nt, width = xs.shape
    query, k, value = np.split(xs @ p['w_qkv'], 3, axis=-1)
    cut = lambda t: np.swapaxes(t.reshape(*lead, nt, heads, width // heads), -2, -3)
    wei = cut(query) @ np.swapaxes(cut(k), -1, -2) / np.sqrt(width // heads)
    wei = np.where(np.tril(np.full((nt, nt), True)), wei, -np.inf)
    wei = np.exp(wei - wei.max(-1, keepdims=True))
    wei = wei / wei.sum(-1, keepdims=True)
    return np.swapaxes(wei @ cut(value), -2, -3).reshape(*lead, nt, width) @ p['w_o']


def feed_forward(xs, p):
    u = xs @ p['w_fc']
    return (0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ p['w_proj']


def stack(xs, layers, heads):
    if not layers:
        return xs
    p, rest = layers[0], layers[1:]
    xs = xs + self_attention(normed(xs, p['ln1_g'], p['ln1_b']), p, heads)
    xs = xs + feed_forward(normed(xs, p['ln2_g'], p['ln2_b']), p)
    return stack(xs, rest, heads)


def gpt_logits(P, idx, n_head):
    xs = P['wte'][idx] + P['wpe'][: idx.shape[1]]
    xs = stack(xs, list(P['blocks']), n_head)
    return normed(xs, P['lnf_g'], P['lnf_b']) @ P['wte'].T
