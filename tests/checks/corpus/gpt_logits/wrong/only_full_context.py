# mistake: adds the whole position table, fails for any T below T_max
# accept: T < T_max; shorter; T_max; broadcast; whole table; full context; wpe; shape
import numpy as np


def _layer_norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    return (x - m) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    """Runs at the full context length, padding on the right; causality makes that harmless."""
    B, n_tok = idx.shape
    Tmax, d = P["wpe"].shape
    x = P["wte"][idx] + P["wpe"]
    mask = np.tril(np.ones((Tmax, Tmax), dtype=bool))
    for p in P["blocks"]:
        c_attn_out = _layer_norm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        q, k, Vh = [t.reshape(B, Tmax, n_head, d // n_head).transpose(0, 2, 1, 3)
                   for t in np.array_split(c_attn_out, 3, axis=-1)]
        wei = np.where(mask[None, None], q @ k.transpose(0, 1, 3, 2) / np.sqrt(d // n_head), -np.inf)
        wei = np.exp(wei - wei.max(-1, keepdims=True))
        wei = wei / wei.sum(-1, keepdims=True)
        x = x + (wei @ Vh).transpose(0, 2, 1, 3).reshape(B, Tmax, d) @ p["w_o"] + p["b_o"]
        z = _layer_norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        z = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
        x = x + z @ p["w_proj"] + p["b_proj"]
    x = x[:, :n_tok]
    return _layer_norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
