# mistake: 2/π instead of √(2/π) in the GELU
# accept: 2/π; 2 / π; root; √(2/π); √(2 / π); constant; 0.797; 0.636
import numpy as np


def norm(xs, g, b):
    xs = xs - xs.mean(axis=-1, keepdims=True)
    return xs * g * (1.0 / np.sqrt(np.mean(xs ** 2, axis=-1, keepdims=True) + 1e-5)) + b


def gpt_logits(P, idx, n_head):
    """Scores are kept as (B, h, key, query); the softmax then runs over axis -2."""
    bs, seq = idx.shape
    xs = P["wte"][idx] + P["wpe"][:seq]
    D = xs.shape[-1]
    hs = D // n_head
    mask = np.tril(np.full((seq, seq), -np.inf), -1)
    for layer in P["blocks"]:
        packed = norm(xs, layer["ln1_g"], layer["ln1_b"]) @ layer["w_qkv"] + layer["b_qkv"]
        q, key, v = packed.reshape(bs, seq, 3, n_head, hs).transpose(2, 0, 3, 1, 4)
        sim = np.matmul(key, np.swapaxes(q, 2, 3)) / np.sqrt(hs) + mask
        sim = np.exp(sim - sim.max(axis=-2, keepdims=True))
        sim = sim / sim.sum(axis=-2, keepdims=True)
        y = np.matmul(np.swapaxes(sim, 2, 3), v)
        y = np.swapaxes(y, 1, 2).reshape(bs, seq, D)
        xs = xs + y @ layer["w_o"] + layer["b_o"]
        m = norm(xs, layer["ln2_g"], layer["ln2_b"])
        m = m @ layer["w_fc"] + layer["b_fc"]
        m = 0.5 * m * (1 + np.tanh((2 / np.pi) * (m + 0.044715 * m ** 3)))
        xs = xs + m @ layer["w_proj"] + layer["b_proj"]
    return norm(xs, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
