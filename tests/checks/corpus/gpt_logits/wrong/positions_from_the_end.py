# mistake: the last T rows of the position table are taken instead of the first T
# accept: last T; last rows; from the end; end of the table; first T; first rows; end of wpe; wpe[-T; position & last; position & end; wrong rows
import numpy as np

# softmax by hand: zero the future after exp, then divide by what is left


def layer_norm(stream, g, b, eps=1e-5):
    xc = stream - stream.mean(-1, keepdims=True)
    return xc / (xc.var(-1, keepdims=True) + eps) ** 0.5 * g + b


def causal_probs(S):
    keep = np.tril(np.ones(S.shape[-2:]))
    top = np.where(keep == 1, S, -np.inf).max(axis=-1, keepdims=True)
    E = np.exp(np.minimum(S - top, 0)) * keep
    return E / E.sum(axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    nb, seq = np.shape(idx)
    h = P['wte'][idx] + P['wpe'][None, -seq:]
    d = h.shape[2]
    for b in P['blocks']:
        a = layer_norm(h, b['ln1_g'], b['ln1_b']) @ b['w_qkv'] + b['b_qkv']
        Qh, k, Vh = (a[..., i * d:(i + 1) * d].reshape(nb, seq, n_head, -1).transpose(0, 2, 1, 3) for i in range(3))
        A = causal_probs(Qh @ k.transpose(0, 1, 3, 2) / np.sqrt(d / n_head))
        a = np.transpose(A @ Vh, (0, 2, 1, 3)).reshape(nb, seq, d)
        h = h + a @ b['w_o'] + b['b_o']
        f = layer_norm(h, b['ln2_g'], b['ln2_b']) @ b['w_fc'] + b['b_fc']
        f = f * 0.5 * (np.tanh((f + f**3 * 0.044715) * np.sqrt(2 / np.pi)) + 1)
        h = h + f @ b['w_proj'] + b['b_proj']
    return layer_norm(h, P['lnf_g'], P['lnf_b']) @ P['wte'].T
