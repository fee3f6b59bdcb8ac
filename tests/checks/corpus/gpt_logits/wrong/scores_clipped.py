# mistake: scores are clipped to [-30, 30] "for stability", which changes large ones
# accept: clip; capped; large score; limit; saturat; bounded; stab
import numpy as np

_EPS = 1e-5
_GELU_C = np.sqrt(2.0 / np.pi)


def gpt_logits(P, idx, n_head):
    idx = np.asarray(idx)
    flat = P["wte"][idx.reshape(-1)].reshape(idx.shape + (-1,))
    return _head(P, _tower(P, flat + P["wpe"][: idx.shape[1]], n_head))


def _tower(P, xs, n_head):
    for prm in P["blocks"]:
        a = xs + _attention(_ln(xs, prm, "ln1"), prm, n_head)
        xs = a + _ffn(_ln(a, prm, "ln2"), prm)
    return xs


def _ln(xs, prm, which):
    d = xs.shape[-1]
    s1 = xs.sum(axis=-1, keepdims=True) / d
    s2 = ((xs - s1) ** 2).sum(axis=-1, keepdims=True) / d
    return prm[which + "_g"] * ((xs - s1) / np.sqrt(s2 + _EPS)) + prm[which + "_b"]


def _attention(xs, prm, n_head):
    w_q, w_k, w_v = np.split(prm["w_qkv"], 3, axis=1)
    b_q, b_k, b_v = np.split(prm["b_qkv"], 3)
    qs, k, v = xs @ w_q + b_q, xs @ w_k + b_k, xs @ w_v + b_v
    B, t, d = qs.shape
    qs, k, v = (np.swapaxes(np.reshape(out, (B, t, n_head, d // n_head)), 1, 2) for out in (qs, k, v))
    e = np.clip(qs @ np.swapaxes(k, 2, 3) / np.sqrt(d // n_head), -30, 30)
    e = e + np.where(np.tri(t) == 1, 0.0, -np.inf)[None, None]
    e = e - e.max(-1, keepdims=True)
    log_p = e - np.log(np.exp(e).sum(-1, keepdims=True))
    o = np.exp(log_p) @ v
    return np.swapaxes(o, 1, 2).reshape(B, t, d) @ prm["w_o"] + prm["b_o"]


def _ffn(xs, prm):
    u = xs @ prm["w_fc"] + prm["b_fc"]
    return (u / 2 + u / 2 * np.tanh(_GELU_C * (u + 0.044715 * u**3))) @ prm["w_proj"] + prm["b_proj"]


def _head(P, xs):
    return _ln(xs, P, "lnf") @ P["wte"].T
