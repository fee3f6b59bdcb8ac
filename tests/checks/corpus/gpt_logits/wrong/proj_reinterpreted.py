# mistake: w_proj is read as if it were stored (d, 4d)
# accept: w_proj; output, input; (d, 4d); reinterpret; stored; reshape; transpos
import numpy as np


def _layer_norm(acts, *, g, b):
    avg = np.mean(acts, -1, keepdims=True)
    return g * ((acts - avg) / np.sqrt(np.var(acts, -1, keepdims=True) + 1e-5)) + b


def _linear(acts, *, w, b):
    return acts @ w + b


def _act(acts):
    inner = np.sqrt(2 / np.pi) * (acts + 0.044715 * acts**3)
    return 0.5 * acts * (1 + np.tanh(inner))


def _heads(acts, n):
    nb, T, D = acts.shape
    return acts.reshape((nb, T, n, D // n)).transpose((0, 2, 1, 3))


def _unheads(acts):
    nb, n, T, Kh = acts.shape
    return acts.transpose((0, 2, 1, 3)).reshape((nb, T, n * Kh))


def _mha(acts, *, attn, out, n_head):
    q, Kh, value = [_heads(t, n_head) for t in np.split(_linear(acts, **attn), 3, axis=-1)]
    causal = (1 - np.tri(acts.shape[1])) * -1e12
    logit_s = q @ Kh.transpose((0, 1, 3, 2)) / np.sqrt(q.shape[-1]) + causal
    logit_s = np.exp(logit_s - np.max(logit_s, -1, keepdims=True))
    return _linear(_unheads(logit_s / np.sum(logit_s, -1, keepdims=True) @ value), **out)


def _ffn(acts, *, fc, proj):
    return _linear(_act(_linear(acts, **fc)), **proj)


def _layer(acts, *, ln_1, attn, ln_2, mlp):
    acts = acts + _mha(_layer_norm(acts, **ln_1), **attn)
    return acts + _ffn(_layer_norm(acts, **ln_2), **mlp)


def _nest(lp, n_head):
    return {
        'ln_1': {'g': lp['ln1_g'], 'b': lp['ln1_b']},
        'attn': {'attn': {'w': lp['w_qkv'], 'b': lp['b_qkv']}, 'out': {'w': lp['w_o'], 'b': lp['b_o']}, 'n_head': n_head},
        'ln_2': {'g': lp['ln2_g'], 'b': lp['ln2_b']},
        'mlp': {'fc': {'w': lp['w_fc'], 'b': lp['b_fc']}, 'proj': {'w': lp['w_proj'].reshape(lp['w_proj'].shape[::-1]).T, 'b': lp['b_proj']}},
    }


def gpt_logits(P, idx, n_head):
    acts = P['wte'][idx] + P['wpe'][range(idx.shape[1])]
    for lp in P['blocks']:
        acts = _layer(acts, **_nest(lp, n_head))
    return _layer_norm(acts, g=P['lnf_g'], b=P['lnf_b']) @ P['wte'].T
