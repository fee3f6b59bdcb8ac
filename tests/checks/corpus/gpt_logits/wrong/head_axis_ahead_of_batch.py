# mistake: the axes of the merged heads come out as (h, B): batch and heads are exchanged before the merge
# accept: merg; batch & head$; concat; transpos; axes; swap; join; mixes the batch; batch
import numpy as np


def standardize(t):
    t = t - t.mean(-1, keepdims=True)
    return t / np.sqrt(t.var(-1, keepdims=True) + 1e-5)


def gpt_logits(P, idx, n_head):
    # prefix sums of exp-weights would be unstable, so plain masked softmax
    (batch, T), (V, n_embd) = idx.shape, P["wte"].shape
    assert n_embd % n_head == 0
    s_ = n_embd // n_head
    z = P["wte"][idx] + P["wpe"][np.newaxis, :T]
    causal = np.arange(T).reshape(T, 1) - np.arange(T).reshape(1, T) >= 0
    for b in P["blocks"]:
        m_in = standardize(z) * b["ln1_g"] + b["ln1_b"]
        m_in = np.matmul(m_in, b["w_qkv"]) + b["b_qkv"]
        m_in = m_in.reshape((batch, T, 3, n_head, s_)).swapaxes(1, 3)          # (B, h, 3, T, s)
        query, Kh, v = m_in[:, :, 0], m_in[:, :, 1], m_in[:, :, 2]
        wei = np.einsum("bhij,bhkj->bhik", query, Kh) / s_**0.5
        wei[:, :, np.logical_not(causal)] = -np.inf
        wei = np.exp(wei - np.max(wei, axis=-1, keepdims=True))
        den = np.sum(wei, axis=-1, keepdims=True)
        y = (wei @ v) / den
        y = y.transpose(1, 0, 2, 3)                   # (h, B, T, s)
        z = z + y.transpose(2, 0, 1, 3).reshape(batch, T, n_embd) @ b["w_o"] + b["b_o"]
        m_in = standardize(z) * b["ln2_g"] + b["ln2_b"]
        m_in = np.matmul(m_in, b["w_fc"]) + b["b_fc"]
        m_in = m_in * (0.5 + 0.5 * np.tanh((2 / np.pi) ** 0.5 * (m_in + 0.044715 * m_in**3)))
        z = z + np.matmul(m_in, b["w_proj"]) + b["b_proj"]
    return (standardize(z) * P["lnf_g"] + P["lnf_b"]) @ P["wte"].T
