# mistake: gain and bias of the final LayerNorm are left out
# accept: final layernorm; last layernorm; lnf; ln_f; final norm; affine
import numpy as np


def standardize(t):
    t = t - t.mean(-1, keepdims=True)
    return t / np.sqrt(t.var(-1, keepdims=True) + 1e-5)


def gpt_logits(P, idx, n_head):
    # prefix sums of exp-weights would be unstable, so plain masked softmax
    (nb, nt), (V, dm) = idx.shape, P["wte"].shape
    assert dm % n_head == 0
    s_ = dm // n_head
    z = P["wte"][idx] + P["wpe"][np.newaxis, :nt]
    causal = np.arange(nt).reshape(nt, 1) - np.arange(nt).reshape(1, nt) >= 0
    for b in P["blocks"]:
        up = standardize(z) * b["ln1_g"] + b["ln1_b"]
        up = np.matmul(up, b["w_qkv"]) + b["b_qkv"]
        up = up.reshape((nb, nt, 3, n_head, s_)).swapaxes(1, 3)          # (B, h, 3, T, s)
        query, ks, value = up[:, :, 0], up[:, :, 1], up[:, :, 2]
        wei = np.einsum("bhij,bhkj->bhik", query, ks) / s_**0.5
        wei[:, :, np.logical_not(causal)] = -np.inf
        wei = np.exp(wei - np.max(wei, axis=-1, keepdims=True))
        den = np.sum(wei, axis=-1, keepdims=True)
        y = (wei @ value) / den
        z = z + y.transpose(0, 2, 1, 3).reshape(nb, nt, dm) @ b["w_o"] + b["b_o"]
        up = standardize(z) * b["ln2_g"] + b["ln2_b"]
        up = np.matmul(up, b["w_fc"]) + b["b_fc"]
        up = up * (0.5 + 0.5 * np.tanh((2 / np.pi) ** 0.5 * (up + 0.044715 * up**3)))
        z = z + np.matmul(up, b["w_proj"]) + b["b_proj"]
    return standardize(z) @ P["wte"].T
