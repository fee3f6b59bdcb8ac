# mistake: exp is taken, but the division by the row sum is missing
# accept: not normal; sum to 1; sum to one; row sum; not divided; denominator; unnormal; without dividing; never divided; no normal
import numpy as np


def ln_into(out, acts, g, b):
    np.subtract(acts, acts.mean(-1, keepdims=True), out=out)
    var = np.einsum("...i,...i->...", out, out) / acts.shape[-1]
    out /= np.sqrt(var + 1e-5)[..., None]
    out *= g
    out += b
    return out


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    bs, T = idx.shape
    acts = P["wte"][idx]
    acts += P["wpe"][:T]
    buf = np.empty_like(acts)
    for par in P["blocks"]:
        qkv = ln_into(buf, acts, par["ln1_g"], par["ln1_b"]) @ par["w_qkv"]
        qkv += par["b_qkv"]
        q, ks, value = (z.reshape(bs, T, n_head, -1).transpose(0, 2, 1, 3) for z in np.split(qkv, 3, -1))
        s = q @ ks.transpose(0, 1, 3, 2)
        s /= np.sqrt(d // n_head)
        s += np.triu(np.full((T, T), -np.inf), 1)
        s -= s.max(-1, keepdims=True)
        np.exp(s, out=s)

        acts += (s @ value).transpose(0, 2, 1, 3).reshape(bs, T, d) @ par["w_o"]
        acts += par["b_o"]
        m_in = ln_into(buf, acts, par["ln2_g"], par["ln2_b"]) @ par["w_fc"]
        m_in += par["b_fc"]
        t = m_in * m_in * m_in
        t *= 0.044715
        t += m_in
        t *= np.sqrt(2 / np.pi)
        np.tanh(t, out=t)
        t += 1
        t *= m_in
        t *= 0.5
        acts += t @ par["w_proj"]
        acts += par["b_proj"]
    return ln_into(buf, acts, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
