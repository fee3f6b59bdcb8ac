# mistake: ln1 and ln2 are exchanged
# accept: swap; exchang; ln1 & ln2; interchang; mixed up; other way
import numpy as np


def _norm(x, *, g, b):
    mu = np.mean(x, -1, keepdims=True)
    return g * ((x - mu) / np.sqrt(np.var(x, -1, keepdims=True) + 1e-5)) + b


def _linear(x, *, w, b):
    return x @ w + b


def _act(x):
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + np.tanh(inner))


def _heads(x, n):
    batch, nt, D = x.shape
    return x.reshape((batch, nt, n, D // n)).transpose((0, 2, 1, 3))


def _unheads(x):
    batch, n, nt, ks = x.shape
    return x.transpose((0, 2, 1, 3)).reshape((batch, nt, n * ks))


def _mha(x, *, attn, out, n_head):
    q, ks, v = [_heads(t, n_head) for t in np.split(_linear(x, **attn), 3, axis=-1)]
    mask = (1 - np.tri(x.shape[1])) * -1e12
    dots = q @ ks.transpose((0, 1, 3, 2)) / np.sqrt(q.shape[-1]) + mask
    dots = np.exp(dots - np.max(dots, -1, keepdims=True))
    return _linear(_unheads(dots / np.sum(dots, -1, keepdims=True) @ v), **out)


def _ffn(x, *, fc, proj):
    return _linear(_act(_linear(x, **fc)), **proj)


def _layer(x, *, ln_1, attn, ln_2, mlp):
    x = x + _mha(_norm(x, **ln_1), **attn)
    return x + _ffn(_norm(x, **ln_2), **mlp)


def _nest(layer, n_head):
    return {
        'ln_1': {'g': layer['ln2_g'], 'b': layer['ln2_b']},
        'attn': {'attn': {'w': layer['w_qkv'], 'b': layer['b_qkv']}, 'out': {'w': layer['w_o'], 'b': layer['b_o']}, 'n_head': n_head},
        'ln_2': {'g': layer['ln1_g'], 'b': layer['ln1_b']},
        'mlp': {'fc': {'w': layer['w_fc'], 'b': layer['b_fc']}, 'proj': {'w': layer['w_proj'], 'b': layer['b_proj']}},
    }


def gpt_logits(P, idx, n_head):
    x = P['wte'][idx] + P['wpe'][range(idx.shape[1])]
    for layer in P['blocks']:
        x = _layer(x, **_nest(layer, n_head))
    return _norm(x, g=P['lnf_g'], b=P['lnf_b']) @ P['wte'].T
