# mistake: calls a method that arrays do not have (masked_fill), an AttributeError
# accept: masked_fill; attributeerror; raised; error; exception; fail
import numpy as np


def gpt_logits(P, idx, n_head):
    E = P["wte"]
    n_tok = idx.shape[1]
    stream = E[idx] + P["wpe"][np.arange(n_tok)][None]
    neg = np.triu(np.full((n_tok, n_tok), -np.inf), 1)

    def normalize(z, g, b):
        c = z - np.einsum("btd->bt", z)[..., None] / z.shape[-1]
        v = np.einsum("btd,btd->bt", c, c)[..., None] / z.shape[-1]
        return np.einsum("btd,d->btd", c / np.sqrt(v + 1e-5), g) + b

    for blk in P["blocks"]:
        n = normalize(stream, blk["ln1_g"], blk["ln1_b"])
        packed = np.einsum("btd,de->bte", n, blk["w_qkv"]) + blk["b_qkv"]
        packed = packed.reshape(*packed.shape[:2], 3, n_head, -1)
        Qh, key, v = packed[:, :, 0], packed[:, :, 1], packed[:, :, 2]
        scores = np.einsum("bqhk,bshk->bhqs", Qh, key) * Qh.shape[-1] ** -0.5 + neg
        scores = scores.masked_fill(neg < 0, -1e9)
        scores = scores - scores.max(axis=-1, keepdims=True)
        w = np.exp(scores)
        w = w / np.einsum("bhqs->bhq", w)[..., None]
        mixed = np.einsum("bhqs,bshk->bqhk", w, v)
        w_o = blk["w_o"].reshape(n_head, -1, E.shape[1])
        stream = stream + np.einsum("bqhk,hkd->bqd", mixed, w_o) + blk["b_o"]
        n = normalize(stream, blk["ln2_g"], blk["ln2_b"])
        u = np.einsum("btd,df->btf", n, blk["w_fc"]) + blk["b_fc"]
        u = u / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (u + 0.044715 * u * u * u)))
        stream = stream + np.einsum("btf,fd->btd", u, blk["w_proj"]) + blk["b_proj"]
    return np.einsum("btd,vd->btv", normalize(stream, P["lnf_g"], P["lnf_b"]), E)
