# mistake: 1/√d_k is applied to the attention weights after the softmax instead of to the scores before it
# accept: after the softmax; not before; scaled after; weights are scaled; weights & scal; sum to 1; not scaled; unscaled
import numpy as np


def ln(stream, g, b):
    stream = stream - stream.mean(axis=-1, keepdims=True)
    return stream * g * (1.0 / np.sqrt(np.mean(stream ** 2, axis=-1, keepdims=True) + 1e-5)) + b


def gpt_logits(P, idx, n_head):
    """Scores are kept as (B, h, key, query); the softmax then runs over axis -2."""
    nb, T = idx.shape
    stream = P["wte"][idx] + P["wpe"][:T]
    D = stream.shape[-1]
    hs = D // n_head
    tri = np.tril(np.full((T, T), -np.inf), -1)
    for lp in P["blocks"]:
        c_attn_out = ln(stream, lp["ln1_g"], lp["ln1_b"]) @ lp["w_qkv"] + lp["b_qkv"]
        query, key, vs = c_attn_out.reshape(nb, T, 3, n_head, hs).transpose(2, 0, 3, 1, 4)
        sc = np.matmul(key, np.swapaxes(query, 2, 3)) + tri
        sc = np.exp(sc - sc.max(axis=-2, keepdims=True))
        sc = sc / sc.sum(axis=-2, keepdims=True) / np.sqrt(hs)
        y = np.matmul(np.swapaxes(sc, 2, 3), vs)
        y = np.swapaxes(y, 1, 2).reshape(nb, T, D)
        stream = stream + y @ lp["w_o"] + lp["b_o"]
        m = ln(stream, lp["ln2_g"], lp["ln2_b"])
        m = m @ lp["w_fc"] + lp["b_fc"]
        m = 0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m ** 3)))
        stream = stream + m @ lp["w_proj"] + lp["b_proj"]
    return ln(stream, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
