# mistake: right values, but a Python loop runs over the query positions (no mask needed then)
# accept: loop; vectoris
# shows: loop
import numpy as np


def layer_norm(v, gain, bias):
    return gain * (v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + 1e-5) + bias


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    d = P["wte"].shape[1]
    stream = P["wte"][idx] + P["wpe"][:T]
    for blk in P["blocks"]:
        qkv = layer_norm(stream, blk["ln1_g"], blk["ln1_b"]) @ blk["w_qkv"] + blk["b_qkv"]
        q, k, v = qkv.reshape(B, T, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        out = np.empty_like(q)
        for t in range(T):
            # token t sees tokens 0..t
            s = np.einsum("bhk,bhsk->bhs", q[:, :, t], k[:, :, :t + 1]) / np.sqrt(d // n_head)
            w = np.exp(s - s.max(-1, keepdims=True))
            w /= w.sum(-1, keepdims=True)
            out[:, :, t] = np.einsum("bhs,bhsk->bhk", w, v[:, :, :t + 1])
        stream = stream + out.transpose(0, 2, 1, 3).reshape(B, T, d) @ blk["w_o"] + blk["b_o"]
        a = layer_norm(stream, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]
        a = 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a * a * a)))
        stream = stream + a @ blk["w_proj"] + blk["b_proj"]
    return layer_norm(stream, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
