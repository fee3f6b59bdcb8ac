# mistake: computes in float32 and converts back to float64 at the end
# accept: float32; single precision; precision; rounding; rounded
import numpy as np


def standardize(t):
    t = t - t.mean(-1, keepdims=True)
    return t / np.sqrt(t.var(-1, keepdims=True) + 1e-5)


def gpt_logits(P, idx, n_head):
    # prefix sums of exp-weights would be unstable, so plain masked softmax
    (bs, nt), (V, d) = idx.shape, P["wte"].shape
    assert d % n_head == 0
    s_ = d // n_head
    P = {n: [{m: a.astype("f4") for m, a in b.items()} for b in p] if n == "blocks" else p.astype("f4") for n, p in P.items()}
    z = P["wte"][idx] + P["wpe"][np.newaxis, :nt]
    causal = np.arange(nt).reshape(nt, 1) - np.arange(nt).reshape(1, nt) >= 0
    for b in P["blocks"]:
        m_in = standardize(z) * b["ln1_g"] + b["ln1_b"]
        m_in = np.matmul(m_in, b["w_qkv"]) + b["b_qkv"]
        m_in = m_in.reshape((bs, nt, 3, n_head, s_)).swapaxes(1, 3)          # (B, h, 3, T, s)
        Qh, Kh, vs = m_in[:, :, 0], m_in[:, :, 1], m_in[:, :, 2]
        wei = np.einsum("bhij,bhkj->bhik", Qh, Kh) / s_**0.5
        wei[:, :, np.logical_not(causal)] = -np.inf
        wei = np.exp(wei - np.max(wei, axis=-1, keepdims=True))
        den = np.sum(wei, axis=-1, keepdims=True)
        out = (wei @ vs) / den
        z = z + out.transpose(0, 2, 1, 3).reshape(bs, nt, d) @ b["w_o"] + b["b_o"]
        m_in = standardize(z) * b["ln2_g"] + b["ln2_b"]
        m_in = np.matmul(m_in, b["w_fc"]) + b["b_fc"]
        m_in = m_in * (0.5 + 0.5 * np.tanh((2 / np.pi) ** 0.5 * (m_in + 0.044715 * m_in**3)))
        z = z + np.matmul(m_in, b["w_proj"]) + b["b_proj"]
    return ((standardize(z) * P["lnf_g"] + P["lnf_b"]) @ P["wte"].T).astype(np.float64)
