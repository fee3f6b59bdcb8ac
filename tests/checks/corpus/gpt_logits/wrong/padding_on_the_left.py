# mistake: pads on the left, so real tokens attend to the padding and get shifted positions
# accept: left; shifted; position; padding; last rows; from the end; last T; wrong rows
import numpy as np


def _ln(x, g, b):
    m = x.mean(-1, keepdims=True)
    return (x - m) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    """Runs at the full context length, padding on the right; causality makes that harmless."""
    bs, seq = idx.shape
    Tmax, dim = P["wpe"].shape
    full = np.zeros((bs, Tmax), dtype=int)
    full[:, Tmax - seq:] = idx
    x = P["wte"][full] + P["wpe"]
    mask = np.tril(np.ones((Tmax, Tmax), dtype=bool))
    for blk in P["blocks"]:
        proj3 = _ln(x, blk["ln1_g"], blk["ln1_b"]) @ blk["w_qkv"] + blk["b_qkv"]
        q, k, value = [t.reshape(bs, Tmax, n_head, dim // n_head).transpose(0, 2, 1, 3)
                   for t in np.array_split(proj3, 3, axis=-1)]
        wei = np.where(mask[None, None], q @ k.transpose(0, 1, 3, 2) / np.sqrt(dim // n_head), -np.inf)
        wei = np.exp(wei - wei.max(-1, keepdims=True))
        wei = wei / wei.sum(-1, keepdims=True)
        x = x + (wei @ value).transpose(0, 2, 1, 3).reshape(bs, Tmax, dim) @ blk["w_o"] + blk["b_o"]
        z = _ln(x, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]
        z = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
        x = x + z @ blk["w_proj"] + blk["b_proj"]
    x = x[:, Tmax - seq:]
    return _ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
