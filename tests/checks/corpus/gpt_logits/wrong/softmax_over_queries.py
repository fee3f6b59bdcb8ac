# mistake: softmax runs over the query axis
# accept: quer; wrong axis; axis -2; axis=-2; axis = -2; columns; over the rows; axis of the softmax; softmax axis
import numpy as np


def standardize(t):
    t = t - t.mean(-1, keepdims=True)
    return t / np.sqrt(t.var(-1, keepdims=True) + 1e-5)


def gpt_logits(P, idx, n_head):
    (nb, T), (V, dm) = idx.shape, P["wte"].shape
    assert dm % n_head == 0
    s_ = dm // n_head
    z = P["wte"][idx] + P["wpe"][np.newaxis, :T]
    causal = np.arange(T).reshape(T, 1) - np.arange(T).reshape(1, T) >= 0
    for b in P["blocks"]:
        u = standardize(z) * b["ln1_g"] + b["ln1_b"]
        u = np.matmul(u, b["w_qkv"]) + b["b_qkv"]
        u = u.reshape((nb, T, 3, n_head, s_)).swapaxes(1, 3)
        q, k, Vh = u[:, :, 0], u[:, :, 1], u[:, :, 2]
        att = np.einsum("bhij,bhkj->bhik", q, k) / s_**0.5
        att[:, :, np.logical_not(causal)] = -np.inf
        att = np.exp(att - np.max(att, axis=-2, keepdims=True))
        den = np.sum(att, axis=-2, keepdims=True)
        y = (att / den) @ Vh
        z = z + y.transpose(0, 2, 1, 3).reshape(nb, T, dm) @ b["w_o"] + b["b_o"]
        u = standardize(z) * b["ln2_g"] + b["ln2_b"]
        u = np.matmul(u, b["w_fc"]) + b["b_fc"]
        u = u * (0.5 + 0.5 * np.tanh((2 / np.pi) ** 0.5 * (u + 0.044715 * u**3)))
        z = z + np.matmul(u, b["w_proj"]) + b["b_proj"]
    return (standardize(z) * P["lnf_g"] + P["lnf_b"]) @ P["wte"].T
