# mistake: gain and bias of the final LayerNorm are left out
# accept: final layernorm; last layernorm; lnf; ln_f; final norm; affine
import numpy as np


def standardize(t):
    t = t - t.mean(-1, keepdims=True)
    return t / np.sqrt(t.var(-1, keepdims=True) + 1e-5)


def gpt_logits(P, idx, n_head):
    # prefix sums of exp-weights would be unstable, so plain masked softmax
    (B, T), (V, d) = idx.shape, P["wte"].shape
    assert d % n_head == 0
    s_ = d // n_head
    z = P["wte"][idx] + P["wpe"][np.newaxis, :T]
    causal = np.arange(T).reshape(T, 1) - np.arange(T).reshape(1, T) >= 0
    for b in P["blocks"]:
        u = standardize(z) * b["ln1_g"] + b["ln1_b"]
        u = np.matmul(u, b["w_qkv"]) + b["b_qkv"]
        u = u.reshape((B, T, 3, n_head, s_)).swapaxes(1, 3)          # (B, h, 3, T, s)
        q, k, v = u[:, :, 0], u[:, :, 1], u[:, :, 2]
        att = np.einsum("bhij,bhkj->bhik", q, k) / s_**0.5
        att[:, :, np.logical_not(causal)] = -np.inf
        att = np.exp(att - np.max(att, axis=-1, keepdims=True))
        den = np.sum(att, axis=-1, keepdims=True)
        y = (att @ v) / den
        z = z + y.transpose(0, 2, 1, 3).reshape(B, T, d) @ b["w_o"] + b["b_o"]
        u = standardize(z) * b["ln2_g"] + b["ln2_b"]
        u = np.matmul(u, b["w_fc"]) + b["b_fc"]
        u = u * (0.5 + 0.5 * np.tanh((2 / np.pi) ** 0.5 * (u + 0.044715 * u**3)))
        z = z + np.matmul(u, b["w_proj"]) + b["b_proj"]
    return standardize(z) @ P["wte"].T
