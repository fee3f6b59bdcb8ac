# mistake: returns inside the loop over blocks, so only the first block runs
# accept: first block; one block; only block; inside the loop; block 0; single block; remaining block; other blocks; later block
import numpy as np

def gpt_logits(P, idx, n_head, ln=lambda acts, g, b: g * (acts - acts.mean(-1, keepdims=True)) / np.sqrt(acts.var(-1, keepdims=True) + 1e-5) + b, ge=lambda hidden: hidden * .5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + .044715 * hidden**3))), sm=lambda sim: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(sim - sim.max(-1, keepdims=True)))):
    acts = P["wte"][idx] + P["wpe"][:idx.shape[1]]
    for w in P["blocks"]:
        Qh, k, v = (ln(acts, w["ln1_g"], w["ln1_b"]) @ w["w_qkv"] + w["b_qkv"]).reshape(*acts.shape[:2], 3, n_head, -1).transpose(2, 0, 3, 1, 4)
        acts = acts + (sm(np.where(np.tri(acts.shape[1]) > 0, Qh @ k.swapaxes(2, 3) / Qh.shape[-1]**.5, -np.inf)) @ v).swapaxes(1, 2).reshape(acts.shape) @ w["w_o"] + w["b_o"]
        acts = acts + ge(ln(acts, w["ln2_g"], w["ln2_b"]) @ w["w_fc"] + w["b_fc"]) @ w["w_proj"] + w["b_proj"]
        return ln(acts, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
