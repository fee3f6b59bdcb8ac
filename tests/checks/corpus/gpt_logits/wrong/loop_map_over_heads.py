# mistake: right values, but map with a lambda walks over the heads
# accept: loop; vectoris; map
# shows: loop
import numpy as np


def gpt_logits(P, idx, n_head):
    bs, seq = idx.shape
    C = P['wte'].shape[1]
    head_dim = C // n_head

    def layer_norm(x, p, which):
        z = x - x.mean(-1, keepdims=True)
        z = z / np.sqrt(z.var(-1, keepdims=True) + 1e-5)
        return p[f'{which}_g'] * z + p[f'{which}_b']

    x = P['wte'][idx] + P['wpe'][:seq]
    for p in P['blocks']:
        W = {n: p['w_qkv'][:, i * C:(i + 1) * C] for i, n in enumerate('qkv')}
        c = {n: p['b_qkv'][i * C:(i + 1) * C] for i, n in enumerate('qkv')}
        ctx = layer_norm(x, p, 'ln1')
        z = {n: (ctx @ W[n] + c[n]).reshape(bs, seq, n_head, head_dim).transpose(0, 2, 1, 3) for n in 'qkv'}
        hide = np.where(np.tril(np.ones((seq, seq))) == 0, -np.inf, 0.0)
        raw = map(lambda i: z['q'][:, i] @ z['k'][:, i].swapaxes(1, 2) / head_dim**0.5 + hide, range(n_head))
        exps = map(lambda s: np.exp(s - s.max(-1, keepdims=True)), raw)
        outs = map(lambda e, i: e / e.sum(-1, keepdims=True) @ z['v'][:, i], exps, range(n_head))
        x = x + np.concatenate(list(outs), axis=-1) @ p['w_o'] + p['b_o']
        f = layer_norm(x, p, 'ln2') @ p['w_fc'] + p['b_fc']
        f = 0.5 * f * (1 + np.tanh(np.sqrt(2 / np.pi) * f * (1 + 0.044715 * f * f)))
        x = x + f @ p['w_proj'] + p['b_proj']
    return layer_norm(x, P, 'lnf') @ P['wte'].T
