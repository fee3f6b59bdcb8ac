# mistake: LN1 is used before the MLP as well
# accept: ln1 & ln2; shared; same layernorm; both; first layernorm; ln1 twice; ln2 & not; ln1 & mlp; ln1 & instead
import numpy as np


def ln(hid, gain, bias):
    mu = hid.mean(-1, keepdims=True)
    variance = hid.var(-1, keepdims=True)
    return (hid - mu) / np.sqrt(variance + 1e-5) * gain + bias


def act(hid):
    return 0.5 * hid * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (hid + 0.044715 * hid**3)))


def sm(hid):
    e = np.exp(hid - hid.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attn(hid, block, h):
    nb, seq, width = hid.shape
    dk = width // h
    c_attn_out = hid @ block["w_qkv"] + block["b_qkv"]
    Qh, key, v = np.split(c_attn_out, 3, axis=-1)
    Qh = Qh.reshape(nb, seq, h, dk).transpose(0, 2, 1, 3)
    key = key.reshape(nb, seq, h, dk).transpose(0, 2, 1, 3)
    v = v.reshape(nb, seq, h, dk).transpose(0, 2, 1, 3)
    s = Qh @ key.transpose(0, 1, 3, 2) / np.sqrt(dk)
    allowed = np.tril(np.ones((seq, seq), dtype=bool))
    s = np.where(allowed, s, -np.inf)
    out = sm(s) @ v
    out = out.transpose(0, 2, 1, 3).reshape(nb, seq, width)
    return out @ block["w_o"] + block["b_o"]


def mlp(hid, block):
    return act(hid @ block["w_fc"] + block["b_fc"]) @ block["w_proj"] + block["b_proj"]


def gpt_logits(P, idx, n_head):
    nb, seq = idx.shape
    hid = P["wte"][idx] + P["wpe"][:seq]
    for block in P["blocks"]:
        hid = hid + attn(ln(hid, block["ln1_g"], block["ln1_b"]), block, n_head)
        hid = hid + mlp(ln(hid, block["ln1_g"], block["ln1_b"]), block)
    hid = ln(hid, P["lnf_g"], P["lnf_b"])
    return hid @ P["wte"].T
