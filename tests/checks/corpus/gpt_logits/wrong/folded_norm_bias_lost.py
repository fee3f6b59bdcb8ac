# mistake: when LN2 is folded into w_fc, its bias is lost
# accept: ln2; bias & layernorm; ln2_b; layernorm's bias; second layernorm
import copy
import numpy as np


def gpt_logits(P, idx, n_head):
    P = copy.deepcopy(P)
    emb = P['wte'].shape[1]
    for p in P['blocks']:
        p['b_qkv'] = p['b_qkv'] + p['ln1_b'] @ p['w_qkv']
        p['w_qkv'] = p['ln1_g'][:, None] * p['w_qkv']
        p['w_qkv'][:, :emb] /= np.sqrt(emb // n_head)
        p['b_qkv'][:emb] /= np.sqrt(emb // n_head)

        p['w_fc'] = p['ln2_g'][:, None] * p['w_fc']

    def unit(x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)

    B, nt = idx.shape
    x = P['wte'][idx] + P['wpe'][:nt]
    i = 0
    while i < len(P['blocks']):
        p = P['blocks'][i]
        q, k, vs = (unit(x) @ p['w_qkv'] + p['b_qkv']).reshape(B, nt, 3, n_head, emb // n_head).transpose(2, 0, 3, 1, 4)
        sc = np.where(np.tri(nt) == 1, q @ k.swapaxes(2, 3), -np.inf)
        sc = np.exp(sc - sc.max(-1, keepdims=True))
        x = x + ((sc / sc.sum(-1, keepdims=True)) @ vs).swapaxes(1, 2).reshape(B, nt, emb) @ p['w_o'] + p['b_o']
        hidden = unit(x) @ p['w_fc'] + p['b_fc']
        x = x + (0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3)))) @ p['w_proj'] + p['b_proj']
        i += 1
    return (unit(x) * P['lnf_g'] + P['lnf_b']) @ P['wte'].T
