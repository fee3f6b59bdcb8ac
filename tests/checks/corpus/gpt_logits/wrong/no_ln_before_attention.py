# mistake: attention reads the raw stream, LN1 is missing
# accept: ln1; before attention; first layernorm; layernorm & attention; raw stream; not normalised; unnormalised
import numpy as np

_EPS = 1e-5
_GELU_C = np.sqrt(2.0 / np.pi)


def gpt_logits(P, idx, n_head):
    idx = np.asarray(idx)
    flat = P["wte"][idx.reshape(-1)].reshape(idx.shape + (-1,))
    return _head(P, _tower(P, flat + P["wpe"][: idx.shape[1]], n_head))


def _tower(P, acts, n_head):
    for p in P["blocks"]:
        a = acts + _attention(acts, p, n_head)
        acts = a + _ffn(_layernorm(a, p, "ln2"), p)
    return acts


def _layernorm(acts, p, which):
    C = acts.shape[-1]
    s1 = acts.sum(axis=-1, keepdims=True) / C
    s2 = ((acts - s1) ** 2).sum(axis=-1, keepdims=True) / C
    return p[which + "_g"] * ((acts - s1) / np.sqrt(s2 + _EPS)) + p[which + "_b"]


def _attention(acts, p, n_head):
    w_q, w_k, w_v = np.split(p["w_qkv"], 3, axis=1)
    b_q, b_k, b_v = np.split(p["b_qkv"], 3)
    Qh, key, value = acts @ w_q + b_q, acts @ w_k + b_k, acts @ w_v + b_v
    B, T, C = Qh.shape
    Qh, key, value = (np.swapaxes(np.reshape(y, (B, T, n_head, C // n_head)), 1, 2) for y in (Qh, key, value))
    e = Qh @ np.swapaxes(key, 2, 3) / np.sqrt(C // n_head)
    e = e + np.where(np.tri(T) == 1, 0.0, -np.inf)[None, None]
    e = e - e.max(-1, keepdims=True)
    log_p = e - np.log(np.exp(e).sum(-1, keepdims=True))
    o = np.exp(log_p) @ value
    return np.swapaxes(o, 1, 2).reshape(B, T, C) @ p["w_o"] + p["b_o"]


def _ffn(acts, p):
    up = acts @ p["w_fc"] + p["b_fc"]
    return (up / 2 + up / 2 * np.tanh(_GELU_C * (up + 0.044715 * up**3))) @ p["w_proj"] + p["b_proj"]


def _head(P, acts):
    return _layernorm(acts, P, "lnf") @ P["wte"].T
