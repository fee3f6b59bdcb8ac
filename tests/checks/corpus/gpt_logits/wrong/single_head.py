# mistake: n_head is ignored, everything is one head of width d
# accept: one head; single head; n_head & ignor; heads & ignor; h = 1; not split; n_head = 1; n_head is not; without splitting
from functools import partial, reduce
import numpy as np

ln = lambda g, b, h_res: g * ((h_res - h_res.mean(-1, keepdims=True)) / np.sqrt(h_res.var(-1, keepdims=True) + 1e-5)) + b
affine = lambda w, b, h_res: h_res @ w + b
sigmoid = lambda u: 0.5 * (1 + np.tanh(u / 2))
activation = lambda u: u * sigmoid(2 * np.sqrt(2 / np.pi) * (u + 0.044715 * u**3))
pipe = lambda *fs: lambda h_res: reduce(lambda acc, f: f(acc), fs, h_res)
residual = lambda f: lambda h_res: h_res + f(h_res)


def attend(h, packed):
    B, T, D3 = packed.shape
    q, k, vs = np.moveaxis(packed.reshape(B, T, 3, h, D3 // 3 // h), [2, 3], [0, 2])
    sim = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    sim = np.where(np.arange(T) <= np.arange(T)[:, None], sim, -np.inf)
    a = np.exp(sim - np.max(sim, -1, keepdims=True))
    return np.moveaxis(a / a.sum(-1, keepdims=True) @ vs, 1, 2).reshape(B, T, -1)


def block(h, layer):
    return pipe(
        residual(pipe(partial(ln, layer["ln1_g"], layer["ln1_b"]), partial(affine, layer["w_qkv"], layer["b_qkv"]),
                      partial(attend, 1), partial(affine, layer["w_o"], layer["b_o"]))),
        residual(pipe(partial(ln, layer["ln2_g"], layer["ln2_b"]), partial(affine, layer["w_fc"], layer["b_fc"]),
                      activation, partial(affine, layer["w_proj"], layer["b_proj"]))),
    )


def gpt_logits(P, idx, n_head):
    return pipe(
        lambda i: P["wte"][i] + P["wpe"][: i.shape[1]],
        *(block(n_head, layer) for layer in P["blocks"]),
        partial(ln, P["lnf_g"], P["lnf_b"]),
        lambda h_res: h_res @ P["wte"].T,
    )(idx)
