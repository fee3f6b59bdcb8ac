# mistake: RMSNorm (no mean) and SiLU in place of LayerNorm and GELU (two at once)
# accept: rms; mean is not; not subtract; mean subtract; without the mean; centr
# accept: silu; swish; x·sigmoid(x); x * sigmoid(x); sigmoid; activation
import numpy as np

rms = lambda x, g, b: g * x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5) + b
silu = lambda x: x / (1 + np.exp(-x))


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    e = P["wte"][idx] + P["wpe"][:T]
    D = e.shape[-1]
    for L in P["blocks"]:
        qkv = rms(e, L["ln1_g"], L["ln1_b"]) @ L["w_qkv"] + L["b_qkv"]
        q, k, v = (t.reshape(B, T, n_head, D // n_head).swapaxes(1, 2) for t in np.split(qkv, 3, -1))
        sc = q @ k.swapaxes(2, 3) / (D // n_head) ** 0.5 + np.triu(np.full((T, T), -np.inf), 1)
        pr = np.exp(sc - sc.max(-1, keepdims=True))
        pr /= pr.sum(-1, keepdims=True)
        e = e + (pr @ v).swapaxes(1, 2).reshape(B, T, D) @ L["w_o"] + L["b_o"]
        e = e + silu(rms(e, L["ln2_g"], L["ln2_b"]) @ L["w_fc"] + L["b_fc"]) @ L["w_proj"] + L["b_proj"]
    return rms(e, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
