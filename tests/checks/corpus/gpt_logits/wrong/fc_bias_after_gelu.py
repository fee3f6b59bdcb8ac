# mistake: b_fc is added after the GELU instead of inside it
# accept: b_fc; after the gelu; after gelu; bias & gelu; fc bias; outside the gelu; bias & activation
import numpy as np


def with_one(acts):
    return np.concatenate([acts, np.ones(acts.shape[:-1] + (1,))], axis=-1)


def dense(acts, W, b):
    return with_one(acts) @ np.vstack([W, b])


def norm(acts, g, b):
    xhat = (acts - acts.mean(axis=-1, keepdims=True)) / np.hypot(acts.std(axis=-1, keepdims=True), np.sqrt(1e-5))
    return xhat * g + b


def gpt_logits(P, idx, n_head):
    B, n_tok = idx.shape
    stream = P['wte'][idx] + P['wpe'][:n_tok]
    C = stream.shape[-1]
    rows, cols = np.ogrid[:n_tok, :n_tok]
    for par in P['blocks']:
        c_attn_out = dense(norm(stream, par['ln1_g'], par['ln1_b']), par['w_qkv'], par['b_qkv'])
        Qh, Kh, v = np.dsplit(c_attn_out, 3)
        Qh, Kh, v = (m.reshape(B, n_tok, n_head, C // n_head).transpose(0, 2, 1, 3) for m in (Qh, Kh, v))
        s = np.where(cols > rows, -np.inf, Qh @ Kh.transpose(0, 1, 3, 2) / np.sqrt(C / n_head))
        s = np.exp(s - np.max(s, axis=-1, keepdims=True))
        A = s / np.sum(s, axis=-1, keepdims=True)
        stream = stream + dense(np.reshape(np.transpose(A @ v, (0, 2, 1, 3)), (B, n_tok, C)), par['w_o'], par['b_o'])
        m = norm(stream, par['ln2_g'], par['ln2_b']) @ par['w_fc']
        m = 0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m ** 3))) + par['b_fc']
        stream = stream + dense(m, par['w_proj'], par['b_proj'])
    return norm(stream, P['lnf_g'], P['lnf_b']) @ P['wte'].T
