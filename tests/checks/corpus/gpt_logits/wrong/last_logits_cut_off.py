# mistake: the last position is cut off because it has no target, T-1 rows come back
# accept: shape; T - 1; T − 1; last position; cut off; one position; short; missing position
import numpy as np

_EPS = 1e-5
_GELU_C = np.sqrt(2.0 / np.pi)


def gpt_logits(P, idx, n_head):
    idx = np.asarray(idx)
    flat = P["wte"][idx.reshape(-1)].reshape(idx.shape + (-1,))
    return _head(P, _tower(P, flat + P["wpe"][: idx.shape[1]], n_head))


def _tower(P, x, n_head):
    for blk in P["blocks"]:
        a = x + _attention(_norm(x, blk, "ln1"), blk, n_head)
        x = a + _ffn(_norm(a, blk, "ln2"), blk)
    return x


def _norm(x, blk, which):
    width = x.shape[-1]
    s1 = x.sum(axis=-1, keepdims=True) / width
    s2 = ((x - s1) ** 2).sum(axis=-1, keepdims=True) / width
    return blk[which + "_g"] * ((x - s1) / np.sqrt(s2 + _EPS)) + blk[which + "_b"]


def _attention(x, blk, n_head):
    w_q, w_k, w_v = np.split(blk["w_qkv"], 3, axis=1)
    b_q, b_k, b_v = np.split(blk["b_qkv"], 3)
    qs, k, vs = x @ w_q + b_q, x @ w_k + b_k, x @ w_v + b_v
    B, T, width = qs.shape
    qs, k, vs = (np.swapaxes(np.reshape(out, (B, T, n_head, width // n_head)), 1, 2) for out in (qs, k, vs))
    e = qs @ np.swapaxes(k, 2, 3) / np.sqrt(width // n_head)
    e = e + np.where(np.tri(T) == 1, 0.0, -np.inf)[None, None]
    e = e - e.max(-1, keepdims=True)
    log_p = e - np.log(np.exp(e).sum(-1, keepdims=True))
    o = np.exp(log_p) @ vs
    return np.swapaxes(o, 1, 2).reshape(B, T, width) @ blk["w_o"] + blk["b_o"]


def _ffn(x, blk):
    pre = x @ blk["w_fc"] + blk["b_fc"]
    return (pre / 2 + pre / 2 * np.tanh(_GELU_C * (pre + 0.044715 * pre**3))) @ blk["w_proj"] + blk["b_proj"]


def _head(P, x):
    return (_norm(x, P, "lnf") @ P["wte"].T)[:, :-1]
