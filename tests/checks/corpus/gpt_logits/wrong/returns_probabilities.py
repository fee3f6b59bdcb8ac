# mistake: returns softmax probabilities instead of logits
# accept: probabilit; softmax & returned; softmax of the logits; softmax & instead; softmax & logits; sums to 1; sum to 1
import numpy as np


def ln(x, gain, bias):
    avg = x.mean(-1, keepdims=True)
    v_x = x.var(-1, keepdims=True)
    return (x - avg) / np.sqrt(v_x + 1e-5) * gain + bias


def gelu_new(x):
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def causal_attn(x, blk, h):
    B, seq, width = x.shape
    dk = width // h
    proj3 = x @ blk["w_qkv"] + blk["b_qkv"]
    qs, key, value = np.split(proj3, 3, axis=-1)
    qs = qs.reshape(B, seq, h, dk).transpose(0, 2, 1, 3)
    key = key.reshape(B, seq, h, dk).transpose(0, 2, 1, 3)
    value = value.reshape(B, seq, h, dk).transpose(0, 2, 1, 3)
    sc = qs @ key.transpose(0, 1, 3, 2) / np.sqrt(dk)
    ok = np.tril(np.ones((seq, seq), dtype=bool))
    sc = np.where(ok, sc, -np.inf)
    ctx = softmax(sc) @ value
    ctx = ctx.transpose(0, 2, 1, 3).reshape(B, seq, width)
    return ctx @ blk["w_o"] + blk["b_o"]


def ffn(x, blk):
    return gelu_new(x @ blk["w_fc"] + blk["b_fc"]) @ blk["w_proj"] + blk["b_proj"]


def gpt_logits(P, idx, n_head):
    B, seq = idx.shape
    x = P["wte"][idx] + P["wpe"][:seq]
    for blk in P["blocks"]:
        x = x + causal_attn(ln(x, blk["ln1_g"], blk["ln1_b"]), blk, n_head)
        x = x + ffn(ln(x, blk["ln2_g"], blk["ln2_b"]), blk)
    x = ln(x, P["lnf_g"], P["lnf_b"])
    return softmax(x @ P["wte"].T)
