# mistake: only the logits of the last position are returned
# accept: last position; only the last; shape; one position; last token; final position
import numpy as np


def _layer_norm(h_res, *, g, b):
    m_x = np.mean(h_res, -1, keepdims=True)
    return g * ((h_res - m_x) / np.sqrt(np.var(h_res, -1, keepdims=True) + 1e-5)) + b


def _linear(h_res, *, w, b):
    return h_res @ w + b


def _act(h_res):
    inner = np.sqrt(2 / np.pi) * (h_res + 0.044715 * h_res**3)
    return 0.5 * h_res * (1 + np.tanh(inner))


def _heads(h_res, n):
    B, n_tok, D = h_res.shape
    return h_res.reshape((B, n_tok, n, D // n)).transpose((0, 2, 1, 3))


def _unheads(h_res):
    B, n, n_tok, ks = h_res.shape
    return h_res.transpose((0, 2, 1, 3)).reshape((B, n_tok, n * ks))


def _mha(h_res, *, attn, out, n_head):
    q, ks, value = [_heads(t, n_head) for t in np.split(_linear(h_res, **attn), 3, axis=-1)]
    causal = (1 - np.tri(h_res.shape[1])) * -1e12
    s = q @ ks.transpose((0, 1, 3, 2)) / np.sqrt(q.shape[-1]) + causal
    s = np.exp(s - np.max(s, -1, keepdims=True))
    return _linear(_unheads(s / np.sum(s, -1, keepdims=True) @ value), **out)


def _ffn(h_res, *, fc, proj):
    return _linear(_act(_linear(h_res, **fc)), **proj)


def _layer(h_res, *, ln_1, attn, ln_2, mlp):
    h_res = h_res + _mha(_layer_norm(h_res, **ln_1), **attn)
    return h_res + _ffn(_layer_norm(h_res, **ln_2), **mlp)


def _nest(params_l, n_head):
    return {
        "ln_1": {"g": params_l["ln1_g"], "b": params_l["ln1_b"]},
        "attn": {"attn": {"w": params_l["w_qkv"], "b": params_l["b_qkv"]}, "out": {"w": params_l["w_o"], "b": params_l["b_o"]}, "n_head": n_head},
        "ln_2": {"g": params_l["ln2_g"], "b": params_l["ln2_b"]},
        "mlp": {"fc": {"w": params_l["w_fc"], "b": params_l["b_fc"]}, "proj": {"w": params_l["w_proj"], "b": params_l["b_proj"]}},
    }


def gpt_logits(P, idx, n_head):
    h_res = P["wte"][idx] + P["wpe"][range(idx.shape[1])]
    for params_l in P["blocks"]:
        h_res = _layer(h_res, **_nest(params_l, n_head))
    return _layer_norm(h_res[:, [-1]], g=P["lnf_g"], b=P["lnf_b"]) @ P["wte"].T
