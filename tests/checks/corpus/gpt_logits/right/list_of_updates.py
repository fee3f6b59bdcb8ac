import numpy as np

# residual stream = embedding + sum of everything written so far


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    writes = [P["wte"][idx], np.broadcast_to(P["wpe"][:T], (B, T, P["wpe"].shape[1]))]
    d = writes[0].shape[-1]

    def stream():
        return np.sum(writes, axis=0)

    def ln(g, b):
        x = stream()
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-5) * g + b

    for p in P["blocks"]:
        z = ln(p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        q, k, v = z.reshape(B, T, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d // n_head)
        with np.errstate(divide="ignore"):
            s = s + np.log(np.tri(T))           # log 1 = 0, log 0 = -inf
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        writes.append((s @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ p["w_o"] + p["b_o"])
        u = ln(p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        writes.append((0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ p["w_proj"] + p["b_proj"])
    return ln(P["lnf_g"], P["lnf_b"]) @ P["wte"].T
