# mistake: there is no causal mask
# accept: no mask; no causal mask; without a mask; without the mask; mask is missing; missing mask; not masked; unmasked; every position sees; sees the future; all positions; bidirectional; reads the future
from functools import partial, reduce
import numpy as np

ln = lambda g, b, stream: g * ((stream - stream.mean(-1, keepdims=True)) / np.sqrt(stream.var(-1, keepdims=True) + 1e-5)) + b
affine = lambda w, b, stream: stream @ w + b
sigmoid = lambda up: 0.5 * (1 + np.tanh(up / 2))
gelu_tanh = lambda up: up * sigmoid(2 * np.sqrt(2 / np.pi) * (up + 0.044715 * up**3))
pipe = lambda *fs: lambda stream: reduce(lambda acc, f: f(acc), fs, stream)
residual = lambda f: lambda stream: stream + f(stream)


def attend(h, packed):
    B, nt, D3 = packed.shape
    query, Kh, v = np.moveaxis(packed.reshape(B, nt, 3, h, D3 // 3 // h), [2, 3], [0, 2])
    dots = query @ np.swapaxes(Kh, -1, -2) / np.sqrt(query.shape[-1])

    a = np.exp(dots - np.max(dots, -1, keepdims=True))
    return np.moveaxis(a / a.sum(-1, keepdims=True) @ v, 1, 2).reshape(B, nt, -1)


def layer(h, lp):
    return pipe(
        residual(pipe(partial(ln, lp['ln1_g'], lp['ln1_b']), partial(affine, lp['w_qkv'], lp['b_qkv']),
                      partial(attend, h), partial(affine, lp['w_o'], lp['b_o']))),
        residual(pipe(partial(ln, lp['ln2_g'], lp['ln2_b']), partial(affine, lp['w_fc'], lp['b_fc']),
                      gelu_tanh, partial(affine, lp['w_proj'], lp['b_proj']))),
    )


def gpt_logits(P, idx, n_head):
    return pipe(
        lambda i: P['wte'][i] + P['wpe'][: i.shape[1]],
        *(layer(n_head, lp) for lp in P['blocks']),
        partial(ln, P['lnf_g'], P['lnf_b']),
        lambda stream: stream @ P['wte'].T,
    )(idx)
