# mistake: positions go on counting from one sequence of the batch to the next
# accept: batch; next sequence; restart; continue; second sequence; each sequence; every sequence; position & sequence
import numpy as np


def LN(x, g, b):
    mean, sd = x.mean(1, keepdims=True), np.sqrt(x.var(1, keepdims=True) + 1e-5)
    return g * ((x - mean) / sd) + b


def gpt_logits(P, idx, n_head):
    bs, seq = idx.shape
    V, n_embd = P["wte"].shape
    dk = n_embd // n_head
    stream = P["wte"][idx.ravel()] + P["wpe"][np.arange(bs * seq) % len(P["wpe"])]
    for w in P["blocks"]:
        H = LN(stream, w["ln1_g"], w["ln1_b"]) @ w["w_qkv"] + w["b_qkv"]
        H = H.reshape(bs, seq, 3, n_head, dk).transpose(2, 0, 3, 1, 4).reshape(3, bs * n_head, seq, dk)
        S = H[0] @ H[1].transpose(0, 2, 1) / dk ** 0.5
        S = S + np.triu(np.full((seq, seq), -np.inf), k=1)
        S = np.exp(S - S.max(2)[:, :, None])
        S = S / S.sum(2)[:, :, None]
        H = (S @ H[2]).reshape(bs, n_head, seq, dk).transpose(0, 2, 1, 3).reshape(bs * seq, n_embd)
        stream = stream + H @ w["w_o"] + w["b_o"]
        H = LN(stream, w["ln2_g"], w["ln2_b"]) @ w["w_fc"] + w["b_fc"]
        H = 0.5 * H * (1 + np.tanh(np.sqrt(2 / np.pi) * (H + 0.044715 * H ** 3)))
        stream = stream + H @ w["w_proj"] + w["b_proj"]
    return (LN(stream, P["lnf_g"], P["lnf_b"]) @ P["wte"].T).reshape(bs, seq, V)
