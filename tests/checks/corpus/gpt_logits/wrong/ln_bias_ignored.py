# mistake: LayerNorm's bias is not added
# accept: LayerNorm & bias; beta; ln1_b; shift; _b
import numpy as np


def make_norm(g, b):
    def f(stream):
        stream = stream - stream.mean(-1, keepdims=True)
        return stream * g / np.sqrt(np.mean(stream * stream, -1, keepdims=True) + 1e-5)
    return f


def make_linear(W, b):
    return lambda stream: stream @ W + b


def make_attention(params_l, h):
    proj3, out = make_linear(params_l["w_qkv"], params_l["b_qkv"]), make_linear(params_l["w_o"], params_l["b_o"])

    def f(stream):
        batch, seq, d = stream.shape
        z = proj3(stream).reshape(batch, seq, 3, h, d // h).transpose(2, 0, 3, 1, 4)
        Qh, k, vs = z
        sim = (Qh @ np.moveaxis(k, -1, -2)) / (d / h) ** 0.5
        sim = np.where(np.tri(seq, dtype=bool), sim, -1e30)
        sim = np.exp(sim - sim.max(-1, keepdims=True))
        sim = sim / sim.sum(-1, keepdims=True)
        return out((sim @ vs).transpose(0, 2, 1, 3).reshape(batch, seq, d))
    return f


def make_mlp(params_l):
    up, down = make_linear(params_l["w_fc"], params_l["b_fc"]), make_linear(params_l["w_proj"], params_l["b_proj"])
    gelu = lambda a: a * (1 + np.tanh(0.7978845608028654 * (a + 0.044715 * a**3))) / 2
    return lambda stream: down(gelu(up(stream)))


def gpt_logits(P, idx, n_head):
    stream = np.take(P["wte"], idx, axis=0) + P["wpe"][:idx.shape[-1]]
    for params_l in P["blocks"]:
        scores, ff = make_attention(params_l, n_head), make_mlp(params_l)
        n1, n2 = make_norm(params_l["ln1_g"], params_l["ln1_b"]), make_norm(params_l["ln2_g"], params_l["ln2_b"])
        stream = stream + scores(n1(stream))
        stream = stream + ff(n2(stream))
    return make_norm(P["lnf_g"], P["lnf_b"])(stream) @ P["wte"].T
