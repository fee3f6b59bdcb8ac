# mistake: the weights of block 0 are used in every layer
# accept: first block; block 0; blocks[0]; same weights; same block; layer 0; shared; first layer
import numpy as np


def make_norm(g, b):
    def f(x):
        x = x - x.mean(-1, keepdims=True)
        return x * g / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5) + b
    return f


def make_linear(W, b):
    return lambda x: x @ W + b


def make_attention(p, h):
    qkv, out = make_linear(p["w_qkv"], p["b_qkv"]), make_linear(p["w_o"], p["b_o"])

    def f(x):
        B, T, d = x.shape
        z = qkv(x).reshape(B, T, 3, h, d // h).transpose(2, 0, 3, 1, 4)
        q, k, v = z
        s = (q @ np.moveaxis(k, -1, -2)) / (d / h) ** 0.5
        s = np.where(np.tri(T, dtype=bool), s, -1e30)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        return out((s @ v).transpose(0, 2, 1, 3).reshape(B, T, d))
    return f


def make_mlp(p):
    up, down = make_linear(p["w_fc"], p["b_fc"]), make_linear(p["w_proj"], p["b_proj"])
    gelu = lambda a: a * (1 + np.tanh(0.7978845608028654 * (a + 0.044715 * a**3))) / 2
    return lambda x: down(gelu(up(x)))


def gpt_logits(P, idx, n_head):
    x = np.take(P["wte"], idx, axis=0) + P["wpe"][:idx.shape[-1]]
    for _ in range(len(P["blocks"])):
        p = P["blocks"][0]
        att, ff = make_attention(p, n_head), make_mlp(p)
        n1, n2 = make_norm(p["ln1_g"], p["ln1_b"]), make_norm(p["ln2_g"], p["ln2_b"])
        x = x + att(n1(x))
        x = x + ff(n2(x))
    return make_norm(P["lnf_g"], P["lnf_b"])(x) @ P["wte"].T
