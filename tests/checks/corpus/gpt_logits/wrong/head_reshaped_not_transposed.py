# mistake: the tied head uses wte reshaped to (d, V) instead of transposed
# accept: head$ & reshape; wte & reshape; wte & transpos; head$ & transpos; head$; tied; not the transpose
import numpy as np


def make_heads(m, h):
    """(B,T,d) -> (h,B,T,dk) by cutting columns"""
    return np.array(np.split(m, h, axis=-1))


def join_heads(m):
    return np.concatenate(m, axis=-1)


def lnorm(hid, g, b):
    return g * (hid - hid.mean(2, keepdims=True)) / np.sqrt(hid.var(2, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    T = idx.shape[1]
    hid = P["wte"][idx] + P["wpe"][:T]
    hide = np.zeros((T, T))
    hide[np.triu_indices(T, 1)] = -np.inf
    for lp in P["blocks"]:
        q, k, vs = np.split(lnorm(hid, lp["ln1_g"], lp["ln1_b"]) @ lp["w_qkv"] + lp["b_qkv"], 3, -1)
        q, k, vs = make_heads(q, n_head), make_heads(k, n_head), make_heads(vs, n_head)
        logit_s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[3]) + hide
        logit_s = np.exp(logit_s - logit_s.max(3, keepdims=True))
        logit_s = logit_s / logit_s.sum(3, keepdims=True)
        hid = hid + join_heads(logit_s @ vs) @ lp["w_o"] + lp["b_o"]
        up = lnorm(hid, lp["ln2_g"], lp["ln2_b"]) @ lp["w_fc"] + lp["b_fc"]
        up = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up ** 3)))
        hid = hid + up @ lp["w_proj"] + lp["b_proj"]
    V, d = P["wte"].shape
    return lnorm(hid, P["lnf_g"], P["lnf_b"]) @ P["wte"].reshape(d, V)
