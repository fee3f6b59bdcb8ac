# mistake: RMSNorm: the mean is not subtracted
# accept: rms; mean is not; not subtract; without the mean; mean subtract; not centred; centr; not centered
import numpy as np

LD = np.longdouble


def gpt_logits(P, idx, n_head):
    up = lambda a: np.asarray(a).astype(LD)
    wte, wpe = up(P["wte"]), up(P["wpe"])
    nb, seq = idx.shape
    d = wte.shape[1]
    xs = wte[idx] + wpe[:seq]

    def ln(xs, g, b):
        Vh = (xs * xs).mean(-1, keepdims=True)
        return xs / np.sqrt(Vh + LD("1e-5")) * up(g) + up(b)

    causal = np.tri(seq, dtype=bool)
    c = np.sqrt(LD(2) / LD(np.pi))
    for blk in P["blocks"]:
        a = ln(xs, blk["ln1_g"], blk["ln1_b"]) @ up(blk["w_qkv"]) + up(blk["b_qkv"])
        qs, ks, Vh = np.moveaxis(a.reshape(nb, seq, 3, n_head, d // n_head), 2, 0)
        att = np.einsum("bthk,bshk->bhts", qs, ks) / np.sqrt(LD(d // n_head))
        att = np.where(causal, att, LD("-inf"))
        att = np.exp(att - att.max(-1, keepdims=True))
        att /= att.sum(-1, keepdims=True)
        o = np.einsum("bhts,bshk->bthk", att, Vh).reshape(nb, seq, d)
        xs = xs + o @ up(blk["w_o"]) + up(blk["b_o"])
        f = ln(xs, blk["ln2_g"], blk["ln2_b"]) @ up(blk["w_fc"]) + up(blk["b_fc"])
        f = f / 2 * (1 + np.tanh(c * (f + LD("0.044715") * f**3)))
        xs = xs + f @ up(blk["w_proj"]) + up(blk["b_proj"])
    return (ln(xs, P["lnf_g"], P["lnf_b"]) @ wte.T).astype(np.float64)
