# mistake: b_qkv is not added
# accept: b_qkv; qkv bias; bias of the qkv; query bias; bias of qkv; bias & qkv; bias & quer
import numpy as np

LD = np.longdouble


def gpt_logits(P, idx, n_head):
    up = lambda a: np.asarray(a).astype(LD)
    wte, wpe = up(P["wte"]), up(P["wpe"])
    batch, T = idx.shape
    d = wte.shape[1]
    xs = wte[idx] + wpe[:T]

    def LN(xs, g, b):
        mu = xs.mean(-1, keepdims=True)
        Vh = ((xs - mu) ** 2).mean(-1, keepdims=True)
        return (xs - mu) / np.sqrt(Vh + LD("1e-5")) * up(g) + up(b)

    causal = np.tri(T, dtype=bool)
    c = np.sqrt(LD(2) / LD(np.pi))
    for p in P["blocks"]:
        a = LN(xs, p["ln1_g"], p["ln1_b"]) @ up(p["w_qkv"])
        q, key, Vh = np.moveaxis(a.reshape(batch, T, 3, n_head, d // n_head), 2, 0)
        sim = np.einsum("bthk,bshk->bhts", q, key) / np.sqrt(LD(d // n_head))
        sim = np.where(causal, sim, LD("-inf"))
        sim = np.exp(sim - sim.max(-1, keepdims=True))
        sim /= sim.sum(-1, keepdims=True)
        o = np.einsum("bhts,bshk->bthk", sim, Vh).reshape(batch, T, d)
        xs = xs + o @ up(p["w_o"]) + up(p["b_o"])
        f = LN(xs, p["ln2_g"], p["ln2_b"]) @ up(p["w_fc"]) + up(p["b_fc"])
        f = f / 2 * (1 + np.tanh(c * (f + LD("0.044715") * f**3)))
        xs = xs + f @ up(p["w_proj"]) + up(p["b_proj"])
    return (LN(xs, P["lnf_g"], P["lnf_b"]) @ wte.T).astype(np.float64)
