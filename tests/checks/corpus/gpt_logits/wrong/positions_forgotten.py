# mistake: no position embedding
# accept: no position; without position; position & missing; position & not added; wpe & not; without wpe; position & left out; positions are; wpe is missing; position & ignor; position & forgot; wpe & never; position & never
import numpy as np



def std(v, g, b):
    v = v - v.mean(axis=-1, keepdims=True)
    return g * v / np.sqrt((v * v).mean(axis=-1, keepdims=True) + 1e-5) + b


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    batch, T = idx.shape
    r = P["wte"][idx]
    split = lambda m: m.reshape(batch, T, n_head, d // n_head).transpose(0, 2, 1, 3)
    minus = np.where(np.tril(np.ones((T, T))) > 0, 0.0, -np.inf)
    for layer in P["blocks"]:
        n = std(r, layer["ln1_g"], layer["ln1_b"])
        Wq, Wk, Wv = np.hsplit(layer["w_qkv"], 3)
        bq, _, bv = np.split(layer["b_qkv"], 3)
        qs, Kh, v = split(n @ Wq + bq), split(n @ Wk), split(n @ Wv + bv)
        att = qs @ Kh.transpose(0, 1, 3, 2) / np.sqrt(d // n_head) + minus
        att = np.exp(att - att.max(axis=-1, keepdims=True))
        att /= att.sum(axis=-1, keepdims=True)
        r = r + (att @ v).transpose(0, 2, 1, 3).reshape(batch, T, d) @ layer["w_o"] + layer["b_o"]
        m = std(r, layer["ln2_g"], layer["ln2_b"]) @ layer["w_fc"] + layer["b_fc"]
        r = r + (0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m**3)))) @ layer["w_proj"] + layer["b_proj"]
    return std(r, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
