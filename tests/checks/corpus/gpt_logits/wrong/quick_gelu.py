# mistake: quick GELU, x·sigmoid(1.702x)
# accept: 1.702; sigmoid; quick
from functools import partial, reduce
import numpy as np

normalise = lambda g, b, xs: g * ((xs - xs.mean(-1, keepdims=True)) / np.sqrt(xs.var(-1, keepdims=True) + 1e-5)) + b
affine = lambda w, b, xs: xs @ w + b
sigmoid = lambda u: 0.5 * (1 + np.tanh(u / 2))
gelu_new = lambda u: u * sigmoid(1.702 * u)
pipe = lambda *fs: lambda xs: reduce(lambda acc, f: f(acc), fs, xs)
residual = lambda f: lambda xs: xs + f(xs)


def attend(h, c_attn_out):
    batch, t, D3 = c_attn_out.shape
    query, Kh, v = np.moveaxis(c_attn_out.reshape(batch, t, 3, h, D3 // 3 // h), [2, 3], [0, 2])
    sc = query @ np.swapaxes(Kh, -1, -2) / np.sqrt(query.shape[-1])
    sc = np.where(np.arange(t) <= np.arange(t)[:, None], sc, -np.inf)
    a = np.exp(sc - np.max(sc, -1, keepdims=True))
    return np.moveaxis(a / a.sum(-1, keepdims=True) @ v, 1, 2).reshape(batch, t, -1)


def layer(h, p):
    return pipe(
        residual(pipe(partial(normalise, p["ln1_g"], p["ln1_b"]), partial(affine, p["w_qkv"], p["b_qkv"]),
                      partial(attend, h), partial(affine, p["w_o"], p["b_o"]))),
        residual(pipe(partial(normalise, p["ln2_g"], p["ln2_b"]), partial(affine, p["w_fc"], p["b_fc"]),
                      gelu_new, partial(affine, p["w_proj"], p["b_proj"]))),
    )


def gpt_logits(P, idx, n_head):
    return pipe(
        lambda i: P["wte"][i] + P["wpe"][: i.shape[1]],
        *(layer(n_head, p) for p in P["blocks"]),
        partial(normalise, P["lnf_g"], P["lnf_b"]),
        lambda xs: xs @ P["wte"].T,
    )(idx)
