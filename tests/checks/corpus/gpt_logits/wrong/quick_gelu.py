# mistake: quick GELU, x·sigmoid(1.702x)
# accept: 1.702; sigmoid; quick
from functools import partial, reduce
import numpy as np

ln = lambda g, b, x: g * ((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)) + b
affine = lambda w, b, x: x @ w + b
sigmoid = lambda u: 0.5 * (1 + np.tanh(u / 2))
gelu = lambda u: u * sigmoid(1.702 * u)
pipe = lambda *fs: lambda x: reduce(lambda acc, f: f(acc), fs, x)
residual = lambda f: lambda x: x + f(x)


def attend(h, qkv):
    B, T, D3 = qkv.shape
    q, k, v = np.moveaxis(qkv.reshape(B, T, 3, h, D3 // 3 // h), [2, 3], [0, 2])
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    s = np.where(np.arange(T) <= np.arange(T)[:, None], s, -np.inf)
    a = np.exp(s - np.max(s, -1, keepdims=True))
    return np.moveaxis(a / a.sum(-1, keepdims=True) @ v, 1, 2).reshape(B, T, -1)


def block(h, p):
    return pipe(
        residual(pipe(partial(ln, p["ln1_g"], p["ln1_b"]), partial(affine, p["w_qkv"], p["b_qkv"]),
                      partial(attend, h), partial(affine, p["w_o"], p["b_o"]))),
        residual(pipe(partial(ln, p["ln2_g"], p["ln2_b"]), partial(affine, p["w_fc"], p["b_fc"]),
                      gelu, partial(affine, p["w_proj"], p["b_proj"]))),
    )


def gpt_logits(P, idx, n_head):
    return pipe(
        lambda i: P["wte"][i] + P["wpe"][: i.shape[1]],
        *(block(n_head, p) for p in P["blocks"]),
        partial(ln, P["lnf_g"], P["lnf_b"]),
        lambda x: x @ P["wte"].T,
    )(idx)
