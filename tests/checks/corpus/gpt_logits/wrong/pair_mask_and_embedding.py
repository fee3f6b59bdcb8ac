# mistake: two: the mask lets the next token through, and embeddings are multiplied by √d
# accept: next token; next position; one ahead; off by one; diagonal; one position ahead
# accept: √d; embedding & scal; embedding & multipl
import numpy as np


def standardize(t):
    t = t - t.mean(-1, keepdims=True)
    return t / np.sqrt(t.var(-1, keepdims=True) + 1e-5)


def gpt_logits(P, idx, n_head):
    (B, seq), (V, d) = idx.shape, P["wte"].shape
    assert d % n_head == 0
    s_ = d // n_head
    z = P["wte"][idx] * d ** 0.5 + P["wpe"][np.newaxis, :seq]
    causal = np.arange(seq).reshape(seq, 1) - np.arange(seq).reshape(1, seq) >= -1
    for b in P["blocks"]:
        up = standardize(z) * b["ln1_g"] + b["ln1_b"]
        up = np.matmul(up, b["w_qkv"]) + b["b_qkv"]
        up = up.reshape((B, seq, 3, n_head, s_)).swapaxes(1, 3)
        qs, Kh, v = up[:, :, 0], up[:, :, 1], up[:, :, 2]
        wei = np.einsum("bhij,bhkj->bhik", qs, Kh) / s_**0.5
        wei[:, :, np.logical_not(causal)] = -np.inf
        wei = np.exp(wei - np.max(wei, axis=-1, keepdims=True))
        den = np.sum(wei, axis=-1, keepdims=True)
        o = (wei @ v) / den
        z = z + o.transpose(0, 2, 1, 3).reshape(B, seq, d) @ b["w_o"] + b["b_o"]
        up = standardize(z) * b["ln2_g"] + b["ln2_b"]
        up = np.matmul(up, b["w_fc"]) + b["b_fc"]
        up = up * (0.5 + 0.5 * np.tanh((2 / np.pi) ** 0.5 * (up + 0.044715 * up**3)))
        z = z + np.matmul(up, b["w_proj"]) + b["b_proj"]
    return (standardize(z) * P["lnf_g"] + P["lnf_b"]) @ P["wte"].T
