# mistake: results are remembered by the ids only, with new parameters the old answer comes back
# accept: earlier call; previous call; cache; remember; state; second call; depends on; first call; global; stale
# shows: state
from functools import partial, reduce
import numpy as np

normalise = lambda g, b, resid: g * ((resid - resid.mean(-1, keepdims=True)) / np.sqrt(resid.var(-1, keepdims=True) + 1e-5)) + b
affine = lambda w, b, resid: resid @ w + b
sigmoid = lambda u: 0.5 * (1 + np.tanh(u / 2))
gelu = lambda u: u * sigmoid(2 * np.sqrt(2 / np.pi) * (u + 0.044715 * u**3))
pipe = lambda *fs: lambda resid: reduce(lambda acc, f: f(acc), fs, resid)
residual = lambda f: lambda resid: resid + f(resid)


def attend(h, packed):
    nb, t, D3 = packed.shape
    q, k, Vh = np.moveaxis(packed.reshape(nb, t, 3, h, D3 // 3 // h), [2, 3], [0, 2])
    logit_s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    logit_s = np.where(np.arange(t) <= np.arange(t)[:, None], logit_s, -np.inf)
    a = np.exp(logit_s - np.max(logit_s, -1, keepdims=True))
    return np.moveaxis(a / a.sum(-1, keepdims=True) @ Vh, 1, 2).reshape(nb, t, -1)


def blk(h, layer):
    return pipe(
        residual(pipe(partial(normalise, layer["ln1_g"], layer["ln1_b"]), partial(affine, layer["w_qkv"], layer["b_qkv"]),
                      partial(attend, h), partial(affine, layer["w_o"], layer["b_o"]))),
        residual(pipe(partial(normalise, layer["ln2_g"], layer["ln2_b"]), partial(affine, layer["w_fc"], layer["b_fc"]),
                      gelu, partial(affine, layer["w_proj"], layer["b_proj"]))),
    )


seen = {}


def gpt_logits(P, idx, n_head):
    key = (idx.tobytes(), idx.shape, n_head)
    if key not in seen:
        seen[key] = run(P, idx, n_head)
    return seen[key]


def run(P, idx, n_head):
    return pipe(
        lambda i: P["wte"][i] + P["wpe"][: i.shape[1]],
        *(blk(n_head, layer) for layer in P["blocks"]),
        partial(normalise, P["lnf_g"], P["lnf_b"]),
        lambda resid: resid @ P["wte"].T,
    )(idx)
