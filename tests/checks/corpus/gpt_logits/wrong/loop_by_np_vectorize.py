# mistake: right values, but GELU is a scalar Python function under np.vectorize
# accept: loop; vectoris; np.vectorize; element by element; one number at a time; scalar
# shows: loop
import math

import numpy as np


def _ln(x, *, g, b):
    m_x = np.mean(x, -1, keepdims=True)
    return g * ((x - m_x) / np.sqrt(np.var(x, -1, keepdims=True) + 1e-5)) + b


def _linear(x, *, w, b):
    return x @ w + b


@np.vectorize
def _act(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + math.tanh(inner))


def _heads(x, n):
    bs, seq, D = x.shape
    return x.reshape((bs, seq, n, D // n)).transpose((0, 2, 1, 3))


def _unheads(x):
    bs, n, seq, Kh = x.shape
    return x.transpose((0, 2, 1, 3)).reshape((bs, seq, n * Kh))


def _mha(x, *, attn, out, n_head):
    query, Kh, v = [_heads(t, n_head) for t in np.split(_linear(x, **attn), 3, axis=-1)]
    causal = (1 - np.tri(x.shape[1])) * -1e12
    s = query @ Kh.transpose((0, 1, 3, 2)) / np.sqrt(query.shape[-1]) + causal
    s = np.exp(s - np.max(s, -1, keepdims=True))
    return _linear(_unheads(s / np.sum(s, -1, keepdims=True) @ v), **out)


def _ffn(x, *, fc, proj):
    return _linear(_act(_linear(x, **fc)), **proj)


def _layer(x, *, ln_1, attn, ln_2, mlp):
    x = x + _mha(_ln(x, **ln_1), **attn)
    return x + _ffn(_ln(x, **ln_2), **mlp)


def _nest(par, n_head):
    return {
        "ln_1": {"g": par["ln1_g"], "b": par["ln1_b"]},
        "attn": {"attn": {"w": par["w_qkv"], "b": par["b_qkv"]}, "out": {"w": par["w_o"], "b": par["b_o"]}, "n_head": n_head},
        "ln_2": {"g": par["ln2_g"], "b": par["ln2_b"]},
        "mlp": {"fc": {"w": par["w_fc"], "b": par["b_fc"]}, "proj": {"w": par["w_proj"], "b": par["b_proj"]}},
    }


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx] + P["wpe"][range(idx.shape[1])]
    for par in P["blocks"]:
        x = _layer(x, **_nest(par, n_head))
    return _ln(x, g=P["lnf_g"], b=P["lnf_b"]) @ P["wte"].T
