# mistake: right values, but softmax goes row by row through np.apply_along_axis
# accept: loop; vectoris; apply_along_axis; row by row
# shows: loop
import numpy as np


def layernorm(acts, gain, bias):
    mu = acts.mean(-1, keepdims=True)
    v_x = acts.var(-1, keepdims=True)
    return (acts - mu) / np.sqrt(v_x + 1e-5) * gain + bias


def gelu_tanh(acts):
    return 0.5 * acts * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (acts + 0.044715 * acts**3)))


def softmax_1d(row):
    e = np.exp(row - row.max())
    return e / e.sum()


def soft_max(acts):
    return np.apply_along_axis(softmax_1d, -1, acts)


def self_attn(acts, block, h):
    B, t, C = acts.shape
    dim_k = C // h
    c_attn_out = acts @ block["w_qkv"] + block["b_qkv"]
    q, Kh, vs = np.split(c_attn_out, 3, axis=-1)
    q = q.reshape(B, t, h, dim_k).transpose(0, 2, 1, 3)
    Kh = Kh.reshape(B, t, h, dim_k).transpose(0, 2, 1, 3)
    vs = vs.reshape(B, t, h, dim_k).transpose(0, 2, 1, 3)
    s = q @ Kh.transpose(0, 1, 3, 2) / np.sqrt(dim_k)
    can_see = np.tril(np.ones((t, t), dtype=bool))
    s = np.where(can_see, s, -np.inf)
    ctx = soft_max(s) @ vs
    ctx = ctx.transpose(0, 2, 1, 3).reshape(B, t, C)
    return ctx @ block["w_o"] + block["b_o"]


def mlp(acts, block):
    return gelu_tanh(acts @ block["w_fc"] + block["b_fc"]) @ block["w_proj"] + block["b_proj"]


def gpt_logits(P, idx, n_head):
    B, t = idx.shape
    acts = P["wte"][idx] + P["wpe"][:t]
    for block in P["blocks"]:
        acts = acts + self_attn(layernorm(acts, block["ln1_g"], block["ln1_b"]), block, n_head)
        acts = acts + mlp(layernorm(acts, block["ln2_g"], block["ln2_b"]), block)
    acts = layernorm(acts, P["lnf_g"], P["lnf_b"])
    return acts @ P["wte"].T
