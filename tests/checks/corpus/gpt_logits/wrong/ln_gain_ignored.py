# mistake: the gains of all LayerNorms are ignored
# accept: gain; gamma; ln1_g; scale of the layernorm; _g
import numpy as np

def gpt_logits(P, idx, n_head, ln=lambda xs, g, b: (xs - xs.mean(-1, keepdims=True)) / np.sqrt(xs.var(-1, keepdims=True) + 1e-5) + b, ge=lambda up: up * .5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + .044715 * up**3))), sm=lambda sc: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(sc - sc.max(-1, keepdims=True)))):
    xs = P["wte"][idx] + P["wpe"][:idx.shape[1]]
    for p in P["blocks"]:
        q, key, Vh = (ln(xs, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]).reshape(*xs.shape[:2], 3, n_head, -1).transpose(2, 0, 3, 1, 4)
        xs = xs + (sm(np.where(np.tri(xs.shape[1]) > 0, q @ key.swapaxes(2, 3) / q.shape[-1]**.5, -np.inf)) @ Vh).swapaxes(1, 2).reshape(xs.shape) @ p["w_o"] + p["b_o"]
        xs = xs + ge(ln(xs, p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]) @ p["w_proj"] + p["b_proj"]
    return ln(xs, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
