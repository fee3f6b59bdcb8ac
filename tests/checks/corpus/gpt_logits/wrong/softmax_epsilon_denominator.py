# mistake: 1e-6 is added to the softmax denominator
# accept: denominator; epsilon; 1e-6; sum to 1; sum to one; eps; small number; not exactly; small constant
import numpy as np


def LN(acts, g, b):
    c = acts - acts.mean(axis=-1, keepdims=True)
    return g * c / np.sqrt((c**2).mean(axis=-1, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    """No head axis on q, k, v: a 0/1 selector (h, d) picks each head's columns."""
    emb = P["wte"].shape[1]
    T = idx.shape[1]
    sel = (np.arange(emb) // (emb // n_head) == np.arange(n_head)[:, None]).astype(float)   # (h, d)
    acts = P["wte"][idx] + P["wpe"][:T]
    for params_l in P["blocks"]:
        q, k, value = np.split(LN(acts, params_l["ln1_g"], params_l["ln1_b"]) @ params_l["w_qkv"] + params_l["b_qkv"], 3, axis=-1)
        qh = q[:, None] * sel[:, None, :]                     # (B, h, T, d), zeros elsewhere
        logit_s = qh @ k[:, None].swapaxes(-1, -2) / np.sqrt(sel[0].sum())
        logit_s = np.where(np.tri(T) == 1, logit_s, -np.inf)
        logit_s = np.exp(logit_s - logit_s.max(-1, keepdims=True))
        logit_s /= logit_s.sum(-1, keepdims=True) + 1e-6
        o = (logit_s @ (value[:, None] * sel[:, None, :])).sum(axis=1)
        acts = acts + o @ params_l["w_o"] + params_l["b_o"]
        m_in = LN(acts, params_l["ln2_g"], params_l["ln2_b"]) @ params_l["w_fc"] + params_l["b_fc"]
        m_in = 0.5 * m_in * (1 + np.tanh(np.sqrt(2 / np.pi) * (m_in + 0.044715 * m_in**3)))
        acts = acts + m_in @ params_l["w_proj"] + params_l["b_proj"]
    return LN(acts, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
