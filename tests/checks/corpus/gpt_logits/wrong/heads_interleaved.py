# mistake: heads take every h-th column instead of a block of d_k columns
# accept: interleav; every h; stride; strided; contiguous; consecutive; columns; h th column; alternat
import numpy as np


def gpt_logits(P, idx, n_head):
    E = P["wte"]
    T = idx.shape[1]
    stream = E[idx] + P["wpe"][np.arange(T)][None]
    neg = np.triu(np.full((T, T), -np.inf), 1)

    def norm(z, g, b):
        c = z - np.einsum("btd->bt", z)[..., None] / z.shape[-1]
        value = np.einsum("btd,btd->bt", c, c)[..., None] / z.shape[-1]
        return np.einsum("btd,d->btd", c / np.sqrt(value + 1e-5), g) + b

    for blk in P["blocks"]:
        n = norm(stream, blk["ln1_g"], blk["ln1_b"])
        packed = np.einsum("btd,de->bte", n, blk["w_qkv"]) + blk["b_qkv"]
        packed = packed.reshape(*packed.shape[:2], 3, -1, n_head).swapaxes(-1, -2)
        q, k, value = packed[:, :, 0], packed[:, :, 1], packed[:, :, 2]
        scores = np.einsum("bqhk,bshk->bhqs", q, k) * q.shape[-1] ** -0.5 + neg
        scores = scores - scores.max(axis=-1, keepdims=True)
        w = np.exp(scores)
        w = w / np.einsum("bhqs->bhq", w)[..., None]
        mixed = np.einsum("bhqs,bshk->bqhk", w, value)
        w_o = blk["w_o"].reshape(n_head, -1, E.shape[1])
        stream = stream + np.einsum("bqhk,hkd->bqd", mixed, w_o) + blk["b_o"]
        n = norm(stream, blk["ln2_g"], blk["ln2_b"])
        u = np.einsum("btd,df->btf", n, blk["w_fc"]) + blk["b_fc"]
        u = u / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (u + 0.044715 * u * u * u)))
        stream = stream + np.einsum("btf,fd->btd", u, blk["w_proj"]) + blk["b_proj"]
    return np.einsum("btd,vd->btv", norm(stream, P["lnf_g"], P["lnf_b"]), E)
