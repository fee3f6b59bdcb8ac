# mistake: adds -100 to masked scores, large scores get over that
# accept: -100; −100; too weak; weak; finite; leak; not low enough; too small; not small enough; fill; not -inf; instead of -inf; instead of −inf; -1e2
import numpy as np


def _ln(hid, *, g, b):
    m_x = np.mean(hid, -1, keepdims=True)
    return g * ((hid - m_x) / np.sqrt(np.var(hid, -1, keepdims=True) + 1e-5)) + b


def _linear(hid, *, w, b):
    return hid @ w + b


def _act(hid):
    inner = np.sqrt(2 / np.pi) * (hid + 0.044715 * hid**3)
    return 0.5 * hid * (1 + np.tanh(inner))


def _heads(hid, n):
    bs, nt, D = hid.shape
    return hid.reshape((bs, nt, n, D // n)).transpose((0, 2, 1, 3))


def _unheads(hid):
    bs, n, nt, Kh = hid.shape
    return hid.transpose((0, 2, 1, 3)).reshape((bs, nt, n * Kh))


def _mha(hid, *, attn, out, n_head):
    q, Kh, value = [_heads(t, n_head) for t in np.split(_linear(hid, **attn), 3, axis=-1)]
    mask = (1 - np.tri(hid.shape[1])) * -1e2
    s = q @ Kh.transpose((0, 1, 3, 2)) / np.sqrt(q.shape[-1]) + mask
    s = np.exp(s - np.max(s, -1, keepdims=True))
    return _linear(_unheads(s / np.sum(s, -1, keepdims=True) @ value), **out)


def _ffn(hid, *, fc, proj):
    return _linear(_act(_linear(hid, **fc)), **proj)


def _layer(hid, *, ln_1, attn, ln_2, mlp):
    hid = hid + _mha(_ln(hid, **ln_1), **attn)
    return hid + _ffn(_ln(hid, **ln_2), **mlp)


def _nest(p, n_head):
    return {
        "ln_1": {"g": p["ln1_g"], "b": p["ln1_b"]},
        "attn": {"attn": {"w": p["w_qkv"], "b": p["b_qkv"]}, "out": {"w": p["w_o"], "b": p["b_o"]}, "n_head": n_head},
        "ln_2": {"g": p["ln2_g"], "b": p["ln2_b"]},
        "mlp": {"fc": {"w": p["w_fc"], "b": p["b_fc"]}, "proj": {"w": p["w_proj"], "b": p["b_proj"]}},
    }


def gpt_logits(P, idx, n_head):
    hid = P["wte"][idx] + P["wpe"][range(idx.shape[1])]
    for p in P["blocks"]:
        hid = _layer(hid, **_nest(p, n_head))
    return _ln(hid, g=P["lnf_g"], b=P["lnf_b"]) @ P["wte"].T
