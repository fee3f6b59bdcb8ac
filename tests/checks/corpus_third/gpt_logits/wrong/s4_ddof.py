# mistake: layer norm divides by d - 1
# accept: d - 1; d-1; ddof; sample variance; bessel; unbiased
import numpy as np
from math import pi, sqrt


def ln(x, w, b):
    mean = np.mean(x, axis=-1, keepdims=True)
    std = np.sqrt(np.var(x, axis=-1, ddof=1, keepdims=True) + 1e-5)
    return w * ((x - mean) / std) + b


def act(x):
    return x / 2 * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))


def self_attention(x, W, bias, Wo, bo, H):
    D = x.shape[-1]
    K = D // H
    L = x.shape[1]
    Wq, Wk, Wv = [m.reshape(D, H, K) for m in np.hsplit(W, 3)]
    bq, bk, bv = [m.reshape(H, K) for m in np.split(bias, 3)]
    Q = np.einsum("bld,dhk->blhk", x, Wq) + bq
    Ks = np.einsum("bld,dhk->blhk", x, Wk) + bk
    Vs = np.einsum("bld,dhk->blhk", x, Wv) + bv
    scores = np.einsum("bihk,bjhk->bhij", Q, Ks) / sqrt(K)
    i, j = np.indices((L, L))
    scores = np.where(j > i, -np.inf, scores)
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    A = np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)
    Z = np.einsum("bhij,bjhk->bihk", A, Vs)
    return np.einsum("bihk,hkd->bid", Z, Wo.reshape(H, K, D)) + bo


def gpt_logits(P, idx, n_head):
    pos = np.arange(idx.shape[1])
    x = P["wte"][idx] + P["wpe"][pos]
    for blk in P["blocks"]:
        y = ln(x, blk["ln1_g"], blk["ln1_b"])
        x = x + self_attention(y, blk["w_qkv"], blk["b_qkv"], blk["w_o"], blk["b_o"], n_head)
        y = ln(x, blk["ln2_g"], blk["ln2_b"])
        x = x + act(y @ blk["w_fc"] + blk["b_fc"]) @ blk["w_proj"] + blk["b_proj"]
    y = ln(x, P["lnf_g"], P["lnf_b"])
    return np.einsum("btd,vd->btv", y, P["wte"])
