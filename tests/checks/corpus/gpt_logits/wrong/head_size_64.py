# mistake: the scale is always 1/8, GPT-2's own head size 64 is hard-coded
# accept: 64; 1/8; hard; fixed; d_k; head size; /8; scale
import numpy as np


def with_one(xs):
    return np.concatenate([xs, np.ones(xs.shape[:-1] + (1,))], axis=-1)


def dense(xs, W, b):
    return with_one(xs) @ np.vstack([W, b])


def layer_norm_(xs, g, b):
    xhat = (xs - xs.mean(axis=-1, keepdims=True)) / np.hypot(xs.std(axis=-1, keepdims=True), np.sqrt(1e-5))
    return xhat * g + b


def gpt_logits(P, idx, n_head):
    bs, t = idx.shape
    H_in = P["wte"][idx] + P["wpe"][:t]
    C = H_in.shape[-1]
    rows, cols = np.ogrid[:t, :t]
    for w in P["blocks"]:
        c_attn_out = dense(layer_norm_(H_in, w["ln1_g"], w["ln1_b"]), w["w_qkv"], w["b_qkv"])
        query, k, Vh = np.dsplit(c_attn_out, 3)
        query, k, Vh = (m.reshape(bs, t, n_head, C // n_head).transpose(0, 2, 1, 3) for m in (query, k, Vh))
        att = np.where(cols > rows, -np.inf, query @ k.transpose(0, 1, 3, 2) * 0.125)
        att = np.exp(att - np.max(att, axis=-1, keepdims=True))
        A = att / np.sum(att, axis=-1, keepdims=True)
        H_in = H_in + dense(np.reshape(np.transpose(A @ Vh, (0, 2, 1, 3)), (bs, t, C)), w["w_o"], w["b_o"])
        m = dense(layer_norm_(H_in, w["ln2_g"], w["ln2_b"]), w["w_fc"], w["b_fc"])
        m = 0.5 * m * (1 + np.tanh(np.sqrt(2 / np.pi) * (m + 0.044715 * m ** 3)))
        H_in = H_in + dense(m, w["w_proj"], w["b_proj"])
    return layer_norm_(H_in, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
