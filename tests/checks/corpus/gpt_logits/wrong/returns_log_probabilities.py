# mistake: returns log-probabilities instead of logits
# accept: log softmax; log prob; logsoftmax; logarithm; log p
import numpy as np


def logsumexp(a, axis=-1):
    m = a.max(axis=axis, keepdims=True)
    return m + np.log(np.exp(a - m).sum(axis=axis, keepdims=True))


def lnorm(x, gain, shift):
    mu, v_x = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return gain * (x - mu) * (v_x + 1e-5) ** -0.5 + shift


def heads_of(x, n):
    return np.stack(np.split(x, n, axis=-1), axis=1)         # (B, h, T, dk)


def gpt_logits(P, idx, n_head):
    T = idx.shape[1]
    x = P["wte"][idx] + P["wpe"][:T]
    bad = np.triu_indices(T, 1)
    for p in P["blocks"]:
        q, Kh, Vh = np.split(lnorm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"], 3, axis=-1)
        q, Kh, Vh = heads_of(q, n_head), heads_of(Kh, n_head), heads_of(Vh, n_head)
        logit_s = q @ Kh.swapaxes(-2, -1)
        logit_s = logit_s / np.sqrt(Kh.shape[-1])
        logit_s[..., bad[0], bad[1]] = -np.inf
        w = np.exp(logit_s - logsumexp(logit_s))                          # log-softmax, then exp
        y = np.moveaxis(w @ Vh, 1, 2)
        y = y.reshape(y.shape[0], y.shape[1], -1)
        x = x + y @ p["w_o"] + p["b_o"]
        u = lnorm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = u / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    z = lnorm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
    return z - logsumexp(z)
