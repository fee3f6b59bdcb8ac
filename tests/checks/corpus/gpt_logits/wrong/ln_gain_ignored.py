# mistake: the gains of all LayerNorms are ignored
# accept: gain; γ; gamma; ln1_g; scale of the layernorm; _g
import numpy as np

def gpt_logits(P, idx, n_head, ln=lambda x, g, b: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b, ge=lambda u: u * .5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + .044715 * u**3))), sm=lambda s: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(s - s.max(-1, keepdims=True)))):
    x = P["wte"][idx] + P["wpe"][:idx.shape[1]]
    for p in P["blocks"]:
        q, k, v = (ln(x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]).reshape(*x.shape[:2], 3, n_head, -1).transpose(2, 0, 3, 1, 4)
        x = x + (sm(np.where(np.tri(x.shape[1]) > 0, q @ k.swapaxes(2, 3) / q.shape[-1]**.5, -np.inf)) @ v).swapaxes(1, 2).reshape(x.shape) @ p["w_o"] + p["b_o"]
        x = x + ge(ln(x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]) @ p["w_proj"] + p["b_proj"]
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
