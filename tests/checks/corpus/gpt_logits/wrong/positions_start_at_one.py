# mistake: positions are counted from 1, wpe row t+1 is added at position t
# accept: position & off by one; position & 1; wpe & off by one; wpe[1; shifted; from 1; next row; one row
import numpy as np


def gpt_logits(P, idx, n_head):
    E = P["wte"]
    seq = idx.shape[1]
    stream = E[idx] + P["wpe"][np.arange(1, seq + 1)][None]
    future = np.triu(np.full((seq, seq), -np.inf), 1)

    def norm(z, g, b):
        c = z - np.einsum("btd->bt", z)[..., None] / z.shape[-1]
        v = np.einsum("btd,btd->bt", c, c)[..., None] / z.shape[-1]
        return np.einsum("btd,d->btd", c / np.sqrt(v + 1e-5), g) + b

    for prm in P["blocks"]:
        n = norm(stream, prm["ln1_g"], prm["ln1_b"])
        packed = np.einsum("btd,de->bte", n, prm["w_qkv"]) + prm["b_qkv"]
        packed = packed.reshape(*packed.shape[:2], 3, n_head, -1)      # b t 3 h k
        q, ks, v = packed[:, :, 0], packed[:, :, 1], packed[:, :, 2]
        att = np.einsum("bqhk,bshk->bhqs", q, ks) * q.shape[-1] ** -0.5 + future
        att = att - att.max(axis=-1, keepdims=True)
        w = np.exp(att)
        w = w / np.einsum("bhqs->bhq", w)[..., None]
        mixed = np.einsum("bhqs,bshk->bqhk", w, v)
        w_o = prm["w_o"].reshape(n_head, -1, E.shape[1])
        stream = stream + np.einsum("bqhk,hkd->bqd", mixed, w_o) + prm["b_o"]
        n = norm(stream, prm["ln2_g"], prm["ln2_b"])
        m_in = np.einsum("btd,df->btf", n, prm["w_fc"]) + prm["b_fc"]
        m_in = m_in / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (m_in + 0.044715 * m_in * m_in * m_in)))
        stream = stream + np.einsum("btf,fd->btd", m_in, prm["w_proj"]) + prm["b_proj"]
    return np.einsum("btd,vd->btv", norm(stream, P["lnf_g"], P["lnf_b"]), E)
