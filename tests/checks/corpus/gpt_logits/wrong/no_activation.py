# mistake: there is no activation in the MLP, it is linear
# accept: no activation; no gelu; gelu is missing; linear; activation is missing; without activation; without gelu; without the gelu; missing gelu; nonlinearity; without an activation
import numpy as np


def gpt_logits(P, idx, n_head):
    E = P["wte"]
    T = idx.shape[1]
    stream = E[idx] + P["wpe"][np.arange(T)][None]
    future = np.triu(np.full((T, T), -np.inf), 1)

    def LayerNorm_(z, g, b):
        c = z - np.einsum("btd->bt", z)[..., None] / z.shape[-1]
        value = np.einsum("btd,btd->bt", c, c)[..., None] / z.shape[-1]
        return np.einsum("btd,d->btd", c / np.sqrt(value + 1e-5), g) + b

    for p in P["blocks"]:
        n = LayerNorm_(stream, p["ln1_g"], p["ln1_b"])
        packed = np.einsum("btd,de->bte", n, p["w_qkv"]) + p["b_qkv"]
        packed = packed.reshape(*packed.shape[:2], 3, n_head, -1)      # b t 3 h k
        qs, key, value = packed[:, :, 0], packed[:, :, 1], packed[:, :, 2]
        att = np.einsum("bqhk,bshk->bhqs", qs, key) * qs.shape[-1] ** -0.5 + future
        att = att - att.max(axis=-1, keepdims=True)
        w = np.exp(att)
        w = w / np.einsum("bhqs->bhq", w)[..., None]
        mixed = np.einsum("bhqs,bshk->bqhk", w, value)
        w_o = p["w_o"].reshape(n_head, -1, E.shape[1])
        stream = stream + np.einsum("bqhk,hkd->bqd", mixed, w_o) + p["b_o"]
        n = LayerNorm_(stream, p["ln2_g"], p["ln2_b"])
        up = np.einsum("btd,df->btf", n, p["w_fc"]) + p["b_fc"]

        stream = stream + np.einsum("btf,fd->btd", up, p["w_proj"]) + p["b_proj"]
    return np.einsum("btd,vd->btv", LayerNorm_(stream, P["lnf_g"], P["lnf_b"]), E)
