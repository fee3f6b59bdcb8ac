# mistake: pads to T_max and returns all T_max rows
# accept: shape; T_max; padding; too long; cut; rows
import numpy as np


def _ln(resid, g, b):
    m = resid.mean(-1, keepdims=True)
    return (resid - m) / np.sqrt(resid.var(-1, keepdims=True) + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    """Runs at the full context length, padding on the right; causality makes that harmless."""
    batch, seq = idx.shape
    Tmax, n_embd = P["wpe"].shape
    full = np.zeros((batch, Tmax), dtype=int)
    full[:, :seq] = idx
    resid = P["wte"][full] + P["wpe"]
    tri = np.tril(np.ones((Tmax, Tmax), dtype=bool))
    for p in P["blocks"]:
        qkv = _ln(resid, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        q, Kh, v = [t.reshape(batch, Tmax, n_head, n_embd // n_head).transpose(0, 2, 1, 3)
                   for t in np.array_split(qkv, 3, axis=-1)]
        aff = np.where(tri[None, None], q @ Kh.transpose(0, 1, 3, 2) / np.sqrt(n_embd // n_head), -np.inf)
        aff = np.exp(aff - aff.max(-1, keepdims=True))
        aff = aff / aff.sum(-1, keepdims=True)
        resid = resid + (aff @ v).transpose(0, 2, 1, 3).reshape(batch, Tmax, n_embd) @ p["w_o"] + p["b_o"]
        z = _ln(resid, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        z = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
        resid = resid + z @ p["w_proj"] + p["b_proj"]
    assert resid.shape[1] == Tmax
    return _ln(resid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
