# mistake: keys and values of earlier calls stay in a global cache and are attended to
# accept: earlier call; previous call; cache; remember; state; second call; depends on; first call; global; stale; keys
# shows: state
import numpy as np

CACHE = {}


def ln(x, g, b):
    return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b


def attend(x, p, h, layer):
    B, T, d = x.shape
    q, k, v = (x @ p["w_qkv"] + p["b_qkv"]).reshape(B, T, 3, h, d // h).transpose(2, 0, 3, 1, 4)
    old = CACHE.get(layer)
    if old is not None and old[0].shape[:2] == k.shape[:2] and old[0].shape[3] == k.shape[3]:
        k = np.concatenate([old[0], k], axis=2)
        v = np.concatenate([old[1], v], axis=2)
    CACHE[layer] = (k, v)
    n = k.shape[2]
    s = q @ k.swapaxes(-1, -2) / np.sqrt(d // h)
    s = np.where(np.tri(T, n, n - T) == 1, s, -np.inf)
    s = np.exp(s - s.max(-1, keepdims=True))
    s = s / s.sum(-1, keepdims=True)
    return (s @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ p["w_o"] + p["b_o"]


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx] + P["wpe"][:idx.shape[1]]
    for i, p in enumerate(P["blocks"]):
        x = x + attend(ln(x, p["ln1_g"], p["ln1_b"]), p, n_head, i)
        u = ln(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
        x = x + u @ p["w_proj"] + p["b_proj"]
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
