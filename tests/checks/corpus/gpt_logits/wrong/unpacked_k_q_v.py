# mistake: the fused projection is unpacked as k, q, v
# accept: order; q, k, v; q and k; queries and keys; swap; exchang; k, q, v; transposed scores; query and key
import numpy as np

# softmax by hand: zero the future after exp, then divide by what is left


def layer_norm(hid, g, b, eps=1e-5):
    xc = hid - hid.mean(-1, keepdims=True)
    return xc / (xc.var(-1, keepdims=True) + eps) ** 0.5 * g + b


def causal_probs(S):
    keep = np.tril(np.ones(S.shape[-2:]))
    top = np.where(keep == 1, S, -np.inf).max(axis=-1, keepdims=True)
    E = np.exp(np.minimum(S - top, 0)) * keep
    return E / E.sum(axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    B, T = np.shape(idx)
    h = P['wte'][idx] + P['wpe'][None, :T]
    d = h.shape[2]
    for b in P['blocks']:
        a = layer_norm(h, b['ln1_g'], b['ln1_b']) @ b['w_qkv'] + b['b_qkv']
        ks, q, v = (a[..., i * d:(i + 1) * d].reshape(B, T, n_head, -1).transpose(0, 2, 1, 3) for i in range(3))
        A = causal_probs(q @ ks.transpose(0, 1, 3, 2) / np.sqrt(d / n_head))
        a = np.transpose(A @ v, (0, 2, 1, 3)).reshape(B, T, d)
        h = h + a @ b['w_o'] + b['b_o']
        f = layer_norm(h, b['ln2_g'], b['ln2_b']) @ b['w_fc'] + b['b_fc']
        f = f * 0.5 * (np.tanh((f + f**3 * 0.044715) * np.sqrt(2 / np.pi)) + 1)
        h = h + f @ b['w_proj'] + b['b_proj']
    return layer_norm(h, P['lnf_g'], P['lnf_b']) @ P['wte'].T
