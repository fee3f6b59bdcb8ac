# mistake: the number of heads is fixed at 2, the argument is not used
# accept: n_head; hard; heads & fixed; number of heads; 2 heads; two heads; heads & argument; heads & ignor
import numpy as np


def _ln(x, *, g, b):
    m_x = np.mean(x, -1, keepdims=True)
    return g * ((x - m_x) / np.sqrt(np.var(x, -1, keepdims=True) + 1e-5)) + b


def _linear(x, *, w, b):
    return x @ w + b


def _act(x):
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + np.tanh(inner))


def _heads(x, n):
    B, T, D = x.shape
    return x.reshape((B, T, n, D // n)).transpose((0, 2, 1, 3))


def _unheads(x):
    B, n, T, k = x.shape
    return x.transpose((0, 2, 1, 3)).reshape((B, T, n * k))


def _mha(x, *, attn, out, n_head):
    q, k, v = [_heads(t, n_head) for t in np.split(_linear(x, **attn), 3, axis=-1)]
    mask = (1 - np.tri(x.shape[1])) * -1e12
    s = q @ k.transpose((0, 1, 3, 2)) / np.sqrt(q.shape[-1]) + mask
    s = np.exp(s - np.max(s, -1, keepdims=True))
    return _linear(_unheads(s / np.sum(s, -1, keepdims=True) @ v), **out)


def _ffn(x, *, fc, proj):
    return _linear(_act(_linear(x, **fc)), **proj)


def _layer(x, *, ln_1, attn, ln_2, mlp):
    x = x + _mha(_ln(x, **ln_1), **attn)
    return x + _ffn(_ln(x, **ln_2), **mlp)


def _nest(p, n_head):
    return {
        'ln_1': {'g': p['ln1_g'], 'b': p['ln1_b']},
        'attn': {'attn': {'w': p['w_qkv'], 'b': p['b_qkv']}, 'out': {'w': p['w_o'], 'b': p['b_o']}, 'n_head': n_head},
        'ln_2': {'g': p['ln2_g'], 'b': p['ln2_b']},
        'mlp': {'fc': {'w': p['w_fc'], 'b': p['b_fc']}, 'proj': {'w': p['w_proj'], 'b': p['b_proj']}},
    }


def gpt_logits(P, idx, n_head):
    x = P['wte'][idx] + P['wpe'][range(idx.shape[1])]
    for p in P['blocks']:
        x = _layer(x, **_nest(p, 2 if P['wte'].shape[1] % 2 == 0 else 1))
    return _ln(x, g=P['lnf_g'], b=P['lnf_b']) @ P['wte'].T
