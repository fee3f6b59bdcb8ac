# mistake: the result is returned in reversed order of positions
# accept: revers; order; flipped; backwards; positions of the output; last position first
import numpy as np


def ln(h_res, g, b):
    m = h_res.mean(-1, keepdims=True)
    value = h_res.var(-1, keepdims=True)
    return (h_res - m) / np.sqrt(value + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    """Newest token first inside; the mask is then upper triangular."""
    bs, T = idx.shape
    d = P["wte"].shape[1]
    h_res = (P["wte"][idx] + P["wpe"][:T])[:, ::-1]
    for params_l in P["blocks"]:
        z = ln(h_res, params_l["ln1_g"], params_l["ln1_b"]) @ params_l["w_qkv"] + params_l["b_qkv"]
        Qh, ks, value = [m.reshape(bs, T, n_head, d // n_head).swapaxes(1, 2) for m in np.split(z, 3, axis=-1)]
        sim = Qh @ ks.swapaxes(-1, -2) / np.sqrt(d // n_head)
        sim = np.where(np.triu(np.ones((T, T), dtype=bool)), sim, -np.inf)
        sim = np.exp(sim - sim.max(-1, keepdims=True))
        sim = sim / sim.sum(-1, keepdims=True)
        h_res = h_res + (sim @ value).swapaxes(1, 2).reshape(bs, T, d) @ params_l["w_o"] + params_l["b_o"]
        up = ln(h_res, params_l["ln2_g"], params_l["ln2_b"]) @ params_l["w_fc"] + params_l["b_fc"]
        h_res = h_res + (0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up**3)))) @ params_l["w_proj"] + params_l["b_proj"]
    return ln(h_res, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
