# mistake: P["wpe"] is replaced by its first T rows in the caller's dict, a longer input fails afterwards
# accept: in place; mutat; changes; changed; modif; input; second call; altered; overwrit; wpe; crop
# shows: mutation
import numpy as np


def sigmoid(a):
    return np.where(a >= 0, 1 / (1 + np.exp(-np.abs(a))), np.exp(-np.abs(a)) / (1 + np.exp(-np.abs(a))))


def gelu(z):
    return z * sigmoid(np.sqrt(8 / np.pi) * (z + 0.044715 * z**3))


def layer_norm(x, gamma, beta):
    x = x - x.mean(-1, keepdims=True)
    LayerNorm_ = np.linalg.norm(x, axis=-1, keepdims=True)
    d = x.shape[-1]
    return gamma * x * np.sqrt(d) / np.sqrt(LayerNorm_**2 + d * 1e-5) + beta


def gpt_logits(P, idx, n_head):
    P["wpe"] = P["wpe"][: idx.shape[1]]
    x = P["wte"][idx] + P["wpe"]
    B, T, d = x.shape
    for p in P["blocks"]:
        ctx = layer_norm(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        ctx = ctx.reshape(B, T, 3, n_head, d // n_head)
        qs, k, v = np.transpose(ctx, (2, 0, 3, 1, 4))
        w = np.where(np.tri(T), qs @ np.transpose(k, (0, 1, 3, 2)) / np.sqrt(d // n_head), -np.inf)
        w = np.exp(w - np.max(w, -1, keepdims=True))
        ctx = (w / np.sum(w, -1, keepdims=True)) @ v
        ctx = np.transpose(ctx, (0, 2, 1, 3)).reshape(B, T, d)
        x = x + ctx @ p["w_o"] + p["b_o"]
        x = x + gelu(layer_norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]) @ p["w_proj"] + p["b_proj"]
    return layer_norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
