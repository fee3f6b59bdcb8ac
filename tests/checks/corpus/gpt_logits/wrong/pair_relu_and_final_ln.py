# mistake: two: ReLU instead of GELU, and no final LayerNorm
# accept: relu
# accept: final layernorm; last layernorm; lnf; ln_f; final norm; before the head
import numpy as np

def gpt_logits(P, idx, n_head, ln=lambda resid, g, b: g * (resid - resid.mean(-1, keepdims=True)) / np.sqrt(resid.var(-1, keepdims=True) + 1e-5) + b, ge=lambda up: up * (up > 0), sm=lambda s: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(s - s.max(-1, keepdims=True)))):
    resid = P["wte"][idx] + P["wpe"][:idx.shape[1]]
    for params_l in P["blocks"]:
        query, Kh, value = (ln(resid, params_l["ln1_g"], params_l["ln1_b"]) @ params_l["w_qkv"] + params_l["b_qkv"]).reshape(*resid.shape[:2], 3, n_head, -1).transpose(2, 0, 3, 1, 4)
        resid = resid + (sm(np.where(np.tri(resid.shape[1]) > 0, query @ Kh.swapaxes(2, 3) / query.shape[-1]**.5, -np.inf)) @ value).swapaxes(1, 2).reshape(resid.shape) @ params_l["w_o"] + params_l["b_o"]
        resid = resid + ge(ln(resid, params_l["ln2_g"], params_l["ln2_b"]) @ params_l["w_fc"] + params_l["b_fc"]) @ params_l["w_proj"] + params_l["b_proj"]
    return resid @ P["wte"].T
