# mistake: the mask keeps the future and hides the past
# accept: upside down; flipped; reversed; inverted; wrong triangle; upper; other triangle; hides the past; transposed; wrong way round; the past; mirrored; only the future
import numpy as np



def layer_norm(hid, g, b, eps=1e-5):
    xc = hid - hid.mean(-1, keepdims=True)
    return xc / (xc.var(-1, keepdims=True) + eps) ** 0.5 * g + b


def causal_probs(S):
    keep = np.triu(np.ones(S.shape[-2:]))
    top = np.where(keep == 1, S, -np.inf).max(axis=-1, keepdims=True)
    E = np.exp(np.minimum(S - top, 0)) * keep
    return E / E.sum(axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    nb, nt = np.shape(idx)
    h = P['wte'][idx] + P['wpe'][None, :nt]
    emb = h.shape[2]
    for b in P['blocks']:
        a = layer_norm(h, b['ln1_g'], b['ln1_b']) @ b['w_qkv'] + b['b_qkv']
        Qh, k, v = (a[..., i * emb:(i + 1) * emb].reshape(nb, nt, n_head, -1).transpose(0, 2, 1, 3) for i in range(3))
        A = causal_probs(Qh @ k.transpose(0, 1, 3, 2) / np.sqrt(emb / n_head))
        a = np.transpose(A @ v, (0, 2, 1, 3)).reshape(nb, nt, emb)
        h = h + a @ b['w_o'] + b['b_o']
        f = layer_norm(h, b['ln2_g'], b['ln2_b']) @ b['w_fc'] + b['b_fc']
        f = f * 0.5 * (np.tanh((f + f**3 * 0.044715) * np.sqrt(2 / np.pi)) + 1)
        h = h + f @ b['w_proj'] + b['b_proj']
    return layer_norm(h, P['lnf_g'], P['lnf_b']) @ P['wte'].T
