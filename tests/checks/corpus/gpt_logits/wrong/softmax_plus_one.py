# mistake: the denominator is 1 + sum ("softmax off by one"), so the weights do not sum to 1
# accept: sum to 1; sum to one; plus 1; plus one; 1 +; + 1; denominator; softmax1; off by one; not normal
import numpy as np


def lnorm(x, g, b):
    m = np.mean(x, axis=-1, keepdims=True)
    r = 1 / np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-5)
    return (x - m) * r * g + b


def tile(q, key, v, allowed):
    logit_s = np.einsum("bqhk,bshk->bhqs", q, key) / np.sqrt(q.shape[-1])
    logit_s = np.where(allowed, logit_s, -np.inf)
    m = logit_s.max(axis=-1, keepdims=True)
    w = np.exp(logit_s - m)
    return np.einsum("bhqs,bshk->bqhk", w, v), 1 + w.sum(-1).transpose(0, 2, 1)


def gpt_logits(P, idx, n_head):
    batch, t = idx.shape
    pos = np.arange(t)
    x = P["wte"][idx] + P["wpe"][pos]
    allowed = pos[:, None] >= pos
    for w in P["blocks"]:
        z = (lnorm(x, w["ln1_g"], w["ln1_b"]) @ w["w_qkv"] + w["b_qkv"]).reshape(batch, t, 3, n_head, -1)
        num, den = tile(z[:, :, 0], z[:, :, 1], z[:, :, 2], allowed)
        x = x + (num / den[..., None]).reshape(batch, t, -1) @ w["w_o"] + w["b_o"]
        m_in = lnorm(x, w["ln2_g"], w["ln2_b"]) @ w["w_fc"] + w["b_fc"]
        m_in *= 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (m_in + 0.044715 * m_in**3)))
        x = x + m_in @ w["w_proj"] + w["b_proj"]
    return lnorm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
