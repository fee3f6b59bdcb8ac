# mistake: misspelt parameter name w_out, a KeyError
# accept: w_out; keyerror; key error; raised; error; exception; missing key
import numpy as np


def pre_norm(acts, g, b):
    return g * (acts - acts.mean(-1, keepdims=True)) / np.sqrt(acts.var(-1, keepdims=True, ddof=0) + 1e-5) + b


def self_attention(acts, lp, heads):
    *lead, T, d = acts.shape
    Qh, ks, vs = np.split(acts @ lp["w_qkv"] + lp["b_qkv"], 3, axis=-1)
    cut = lambda t: np.swapaxes(t.reshape(*lead, T, heads, d // heads), -2, -3)
    att = cut(Qh) @ np.swapaxes(cut(ks), -1, -2) / np.sqrt(d // heads)
    att = np.where(np.tril(np.full((T, T), True)), att, -np.inf)
    att = np.exp(att - att.max(-1, keepdims=True))
    att = att / att.sum(-1, keepdims=True)
    return np.swapaxes(att @ cut(vs), -2, -3).reshape(*lead, T, d) @ lp["w_out"] + lp["b_out"]


def feed_forward(acts, lp):
    u = acts @ lp["w_fc"] + lp["b_fc"]
    return (0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ lp["w_proj"] + lp["b_proj"]


def stack(acts, layers, heads):
    if not layers:
        return acts
    lp, rest = layers[0], layers[1:]
    acts = acts + self_attention(pre_norm(acts, lp["ln1_g"], lp["ln1_b"]), lp, heads)
    acts = acts + feed_forward(pre_norm(acts, lp["ln2_g"], lp["ln2_b"]), lp)
    return stack(acts, rest, heads)


def gpt_logits(P, idx, n_head):
    acts = P["wte"][idx] + P["wpe"][: idx.shape[1]]
    acts = stack(acts, list(P["blocks"]), n_head)
    return pre_norm(acts, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
