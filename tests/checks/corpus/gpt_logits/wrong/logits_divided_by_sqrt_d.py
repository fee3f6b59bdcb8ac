# mistake: the logits are divided by √d
# accept: √d; logits & scal; logits & divid; head$ & scal; head$ & divid
import numpy as np

LD = np.longdouble


def gpt_logits(P, idx, n_head):
    up = lambda a: np.asarray(a).astype(LD)
    wte, wpe = up(P["wte"]), up(P["wpe"])
    B, t = idx.shape
    d = wte.shape[1]
    x = wte[idx] + wpe[:t]

    def layer_norm(x, g, b):
        mu = x.mean(-1, keepdims=True)
        Vh = ((x - mu) ** 2).mean(-1, keepdims=True)
        return (x - mu) / np.sqrt(Vh + LD("1e-5")) * up(g) + up(b)

    causal = np.tri(t, dtype=bool)
    c = np.sqrt(LD(2) / LD(np.pi))
    for p in P["blocks"]:
        a = layer_norm(x, p["ln1_g"], p["ln1_b"]) @ up(p["w_qkv"]) + up(p["b_qkv"])
        query, k, Vh = np.moveaxis(a.reshape(B, t, 3, n_head, d // n_head), 2, 0)
        logit_s = np.einsum("bthk,bshk->bhts", query, k) / np.sqrt(LD(d // n_head))
        logit_s = np.where(causal, logit_s, LD("-inf"))
        logit_s = np.exp(logit_s - logit_s.max(-1, keepdims=True))
        logit_s /= logit_s.sum(-1, keepdims=True)
        o = np.einsum("bhts,bshk->bthk", logit_s, Vh).reshape(B, t, d)
        x = x + o @ up(p["w_o"]) + up(p["b_o"])
        f = layer_norm(x, p["ln2_g"], p["ln2_b"]) @ up(p["w_fc"]) + up(p["b_fc"])
        f = f / 2 * (1 + np.tanh(c * (f + LD("0.044715") * f**3)))
        x = x + f @ up(p["w_proj"]) + up(p["b_proj"])
    return (layer_norm(x, P["lnf_g"], P["lnf_b"]) @ wte.T / np.sqrt(LD(d))).astype(np.float64)
