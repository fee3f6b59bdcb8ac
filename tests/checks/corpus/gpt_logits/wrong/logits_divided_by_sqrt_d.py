# mistake: the logits are divided by √d
# accept: √d; logits & scal; logits & divid; head & scal; head & divid
import numpy as np

LD = np.longdouble


def gpt_logits(P, idx, n_head):
    # everything in extended precision, rounded once at the end
    up = lambda a: np.asarray(a).astype(LD)
    wte, wpe = up(P["wte"]), up(P["wpe"])
    B, T = idx.shape
    d = wte.shape[1]
    x = wte[idx] + wpe[:T]

    def ln(x, g, b):
        mu = x.mean(-1, keepdims=True)
        v = ((x - mu) ** 2).mean(-1, keepdims=True)
        return (x - mu) / np.sqrt(v + LD("1e-5")) * up(g) + up(b)

    causal = np.tri(T, dtype=bool)
    c = np.sqrt(LD(2) / LD(np.pi))
    for p in P["blocks"]:
        a = ln(x, p["ln1_g"], p["ln1_b"]) @ up(p["w_qkv"]) + up(p["b_qkv"])
        q, k, v = np.moveaxis(a.reshape(B, T, 3, n_head, d // n_head), 2, 0)
        s = np.einsum("bthk,bshk->bhts", q, k) / np.sqrt(LD(d // n_head))
        s = np.where(causal, s, LD("-inf"))
        s = np.exp(s - s.max(-1, keepdims=True))
        s /= s.sum(-1, keepdims=True)
        o = np.einsum("bhts,bshk->bthk", s, v).reshape(B, T, d)
        x = x + o @ up(p["w_o"]) + up(p["b_o"])
        f = ln(x, p["ln2_g"], p["ln2_b"]) @ up(p["w_fc"]) + up(p["b_fc"])
        f = f / 2 * (1 + np.tanh(c * (f + LD("0.044715") * f**3)))
        x = x + f @ up(p["w_proj"]) + up(p["b_proj"])
    return (ln(x, P["lnf_g"], P["lnf_b"]) @ wte.T / np.sqrt(LD(d))).astype(np.float64)
