# mistake: pads on the left, so real tokens attend to the padding and get shifted positions
# accept: left; shifted; position; padding; last rows; from the end; last T; wrong rows
import numpy as np


def _ln(x, g, b):
    m = x.mean(-1, keepdims=True)
    return (x - m) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    """Runs at the full context length, padding on the right; causality makes that harmless."""
    B, T = idx.shape
    Tmax, d = P["wpe"].shape
    full = np.zeros((B, Tmax), dtype=int)
    full[:, Tmax - T:] = idx
    x = P["wte"][full] + P["wpe"]
    mask = np.tril(np.ones((Tmax, Tmax), dtype=bool))
    for p in P["blocks"]:
        qkv = _ln(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        q, k, v = [t.reshape(B, Tmax, n_head, d // n_head).transpose(0, 2, 1, 3)
                   for t in np.array_split(qkv, 3, axis=-1)]
        att = np.where(mask[None, None], q @ k.transpose(0, 1, 3, 2) / np.sqrt(d // n_head), -np.inf)
        att = np.exp(att - att.max(-1, keepdims=True))
        att = att / att.sum(-1, keepdims=True)
        x = x + (att @ v).transpose(0, 2, 1, 3).reshape(B, Tmax, d) @ p["w_o"] + p["b_o"]
        z = _ln(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        z = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
        x = x + z @ p["w_proj"] + p["b_proj"]
    x = x[:, Tmax - T:]
    return _ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
