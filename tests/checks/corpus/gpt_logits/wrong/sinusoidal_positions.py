# mistake: fixed sinusoidal positions as in the 2017 Transformer, the learned table is not used
# accept: sinus; sine; learned position; fixed position; wpe is not; wpe & not used; without wpe; no position; ignores wpe; position table
from functools import partial, reduce
import numpy as np

ln = lambda g, b, hid: g * ((hid - hid.mean(-1, keepdims=True)) / np.sqrt(hid.var(-1, keepdims=True) + 1e-5)) + b
affine = lambda w, b, hid: hid @ w + b
sigmoid = lambda u: 0.5 * (1 + np.tanh(u / 2))
act = lambda u: u * sigmoid(2 * np.sqrt(2 / np.pi) * (u + 0.044715 * u**3))
pipe = lambda *fs: lambda hid: reduce(lambda acc, f: f(acc), fs, hid)
residual = lambda f: lambda hid: hid + f(hid)


def attend(h, proj3):
    nb, t, D3 = proj3.shape
    qs, ks, Vh = np.moveaxis(proj3.reshape(nb, t, 3, h, D3 // 3 // h), [2, 3], [0, 2])
    sim = qs @ np.swapaxes(ks, -1, -2) / np.sqrt(qs.shape[-1])
    sim = np.where(np.arange(t) <= np.arange(t)[:, None], sim, -np.inf)
    a = np.exp(sim - np.max(sim, -1, keepdims=True))
    return np.moveaxis(a / a.sum(-1, keepdims=True) @ Vh, 1, 2).reshape(nb, t, -1)


def sinusoids(n, width):
    rate = 10000.0 ** (-(np.arange(width) // 2 * 2) / width)
    angle = np.arange(n)[:, None] * rate
    return np.where(np.arange(width) % 2 == 0, np.sin(angle), np.cos(angle))


def layer(h, p):
    return pipe(
        residual(pipe(partial(ln, p["ln1_g"], p["ln1_b"]), partial(affine, p["w_qkv"], p["b_qkv"]),
                      partial(attend, h), partial(affine, p["w_o"], p["b_o"]))),
        residual(pipe(partial(ln, p["ln2_g"], p["ln2_b"]), partial(affine, p["w_fc"], p["b_fc"]),
                      act, partial(affine, p["w_proj"], p["b_proj"]))),
    )


def gpt_logits(P, idx, n_head):
    return pipe(
        lambda i: P["wte"][i] + sinusoids(i.shape[1], P["wte"].shape[1]),
        *(layer(n_head, p) for p in P["blocks"]),
        partial(ln, P["lnf_g"], P["lnf_b"]),
        lambda hid: hid @ P["wte"].T,
    )(idx)
