# mistake: only the first block is masked
# accept: first block; only block; block 0; some block; later block; one block; other blocks; second block; blocks[0]; not in every; every block
import numpy as np



def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    writes = [P["wte"][idx], np.broadcast_to(P["wpe"][:T], (B, T, P["wpe"].shape[1]))]
    d = writes[0].shape[-1]

    def stream():
        return np.sum(writes, axis=0)

    def norm_(g, b):
        x = stream()
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-5) * g + b

    for n, p in enumerate(P["blocks"]):
        z = norm_(p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        query, k, Vh = z.reshape(B, T, 3, n_head, d // n_head).transpose(2, 0, 3, 1, 4)
        s = query @ k.transpose(0, 1, 3, 2) / np.sqrt(d // n_head)
        if n == 0:
            with np.errstate(divide="ignore"):
                s = s + np.log(np.tri(T))
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        writes.append((s @ Vh).transpose(0, 2, 1, 3).reshape(B, T, d) @ p["w_o"] + p["b_o"])
        m_in = norm_(p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        writes.append((0.5 * m_in * (1 + np.tanh(np.sqrt(2 / np.pi) * (m_in + 0.044715 * m_in**3)))) @ p["w_proj"] + p["b_proj"])
    return norm_(P["lnf_g"], P["lnf_b"]) @ P["wte"].T
