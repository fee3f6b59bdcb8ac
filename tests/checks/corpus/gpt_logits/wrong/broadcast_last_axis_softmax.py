# mistake: in the (B, T, T, h) layout axis -1 is the heads: the softmax runs over them
# accept: heads; wrong axis; axis of the softmax; softmax axis
import numpy as np


def weighted(a, b, axis):
    return (a * b).sum(axis)


def ln(x, g, b):
    c = x - x.mean(-1, keepdims=True)
    return g * c / np.sqrt(weighted(c, c, -1)[..., None] / c.shape[-1] + 1e-5) + b


def gpt_logits(P, idx, n_head):
    # no matmul in attention: everything is broadcasting and sums
    bs, seq = idx.shape
    x = P['wte'][idx] + P['wpe'][:seq]
    hide = np.where(np.arange(seq)[None, :] > np.arange(seq)[:, None], -np.inf, 0.0)[..., None]   # (T, T, 1)
    for params_l in P['blocks']:
        ctx = ln(x, params_l['ln1_g'], params_l['ln1_b']) @ params_l['w_qkv'] + params_l['b_qkv']
        qs, k, vs = np.moveaxis(ctx.reshape(bs, seq, 3, n_head, -1), 2, 0)                         # (B, T, h, dk)
        logit_s = weighted(qs[:, :, None], k[:, None], -1) / np.sqrt(qs.shape[-1]) + hide           # (B, T, T, h)
        logit_s = np.exp(logit_s - logit_s.max(axis=2, keepdims=True))
        total = logit_s.sum(axis=-1, keepdims=True)
        logit_s = np.divide(logit_s, total, out=np.zeros_like(logit_s), where=total > 0)
        ctx = weighted(logit_s[..., None], vs[:, None], 2).reshape(x.shape)
        x = x + ctx @ params_l['w_o'] + params_l['b_o']
        ctx = ln(x, params_l['ln2_g'], params_l['ln2_b']) @ params_l['w_fc'] + params_l['b_fc']
        ctx = 0.5 * ctx * (1 + np.tanh(np.sqrt(2 / np.pi) * (ctx + 0.044715 * ctx**3)))
        x = x + ctx @ params_l['w_proj'] + params_l['b_proj']
    return ln(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
