# mistake: the weights of block 0 are used in every layer
# accept: first block; block 0; blocks[0]; same weights; same block; layer 0; shared; first layer
import numpy as np


def make_norm(g, b):
    def f(hid):
        hid = hid - hid.mean(-1, keepdims=True)
        return hid * g / np.sqrt(np.mean(hid * hid, -1, keepdims=True) + 1e-5) + b
    return f


def make_linear(W, b):
    return lambda hid: hid @ W + b


def make_attention(blk, h):
    c_attn_out, out = make_linear(blk["w_qkv"], blk["b_qkv"]), make_linear(blk["w_o"], blk["b_o"])

    def f(hid):
        bs, T, n_embd = hid.shape
        z = c_attn_out(hid).reshape(bs, T, 3, h, n_embd // h).transpose(2, 0, 3, 1, 4)
        q, k, vs = z
        logit_s = (q @ np.moveaxis(k, -1, -2)) / (n_embd / h) ** 0.5
        logit_s = np.where(np.tri(T, dtype=bool), logit_s, -1e30)
        logit_s = np.exp(logit_s - logit_s.max(-1, keepdims=True))
        logit_s = logit_s / logit_s.sum(-1, keepdims=True)
        return out((logit_s @ vs).transpose(0, 2, 1, 3).reshape(bs, T, n_embd))
    return f


def make_mlp(blk):
    up, down = make_linear(blk["w_fc"], blk["b_fc"]), make_linear(blk["w_proj"], blk["b_proj"])
    act = lambda a: a * (1 + np.tanh(0.7978845608028654 * (a + 0.044715 * a**3))) / 2
    return lambda hid: down(act(up(hid)))


def gpt_logits(P, idx, n_head):
    hid = np.take(P["wte"], idx, axis=0) + P["wpe"][:idx.shape[-1]]
    for _ in range(len(P["blocks"])):
        blk = P["blocks"][0]
        aff, ff = make_attention(blk, n_head), make_mlp(blk)
        n1, n2 = make_norm(blk["ln1_g"], blk["ln1_b"]), make_norm(blk["ln2_g"], blk["ln2_b"])
        hid = hid + aff(n1(hid))
        hid = hid + ff(n2(hid))
    return make_norm(P["lnf_g"], P["lnf_b"])(hid) @ P["wte"].T
