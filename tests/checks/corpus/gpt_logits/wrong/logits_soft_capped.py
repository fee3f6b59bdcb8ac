# mistake: logits are soft-capped with 30·tanh(z/30), as Gemma 2 does
# accept: cap; tanh & logits; head$; squash; saturat; bounded; logits
import numpy as np


def make_norm(g, b):
    def f(acts):
        acts = acts - acts.mean(-1, keepdims=True)
        return acts * g / np.sqrt(np.mean(acts * acts, -1, keepdims=True) + 1e-5) + b
    return f


def make_linear(W, b):
    return lambda acts: acts @ W + b


def make_attention(blk, h):
    c_attn_out, out = make_linear(blk["w_qkv"], blk["b_qkv"]), make_linear(blk["w_o"], blk["b_o"])

    def f(acts):
        B, T, dim = acts.shape
        z = c_attn_out(acts).reshape(B, T, 3, h, dim // h).transpose(2, 0, 3, 1, 4)
        query, ks, v = z
        dots = (query @ np.moveaxis(ks, -1, -2)) / (dim / h) ** 0.5
        dots = np.where(np.tri(T, dtype=bool), dots, -1e30)
        dots = np.exp(dots - dots.max(-1, keepdims=True))
        dots = dots / dots.sum(-1, keepdims=True)
        return out((dots @ v).transpose(0, 2, 1, 3).reshape(B, T, dim))
    return f


def make_mlp(blk):
    up, down = make_linear(blk["w_fc"], blk["b_fc"]), make_linear(blk["w_proj"], blk["b_proj"])
    gelu_new = lambda a: a * (1 + np.tanh(0.7978845608028654 * (a + 0.044715 * a**3))) / 2
    return lambda acts: down(gelu_new(up(acts)))


def gpt_logits(P, idx, n_head):
    acts = np.take(P["wte"], idx, axis=0) + P["wpe"][:idx.shape[-1]]
    for blk in P["blocks"]:
        wei, ff = make_attention(blk, n_head), make_mlp(blk)
        n1, n2 = make_norm(blk["ln1_g"], blk["ln1_b"]), make_norm(blk["ln2_g"], blk["ln2_b"])
        acts = acts + wei(n1(acts))
        acts = acts + ff(n2(acts))
    z = make_norm(P["lnf_g"], P["lnf_b"])(acts) @ P["wte"].T
    return 30 * np.tanh(z / 30)
