# mistake: np.squeeze removes the batch axis when B is 1 and the time axis when T is 1
# accept: squeeze; B = 1; T = 1; axis of size 1; batch of one; shape; single sequence; size one; one sequence; one token; single token
import numpy as np


def ln_into(out, hid, g, b):
    np.subtract(hid, hid.mean(-1, keepdims=True), out=out)
    s2 = np.einsum("...i,...i->...", out, out) / hid.shape[-1]
    out /= np.sqrt(s2 + 1e-5)[..., None]
    out *= g
    out += b
    return out


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    bs, T = idx.shape
    hid = P["wte"][idx]          # fancy indexing copies, safe to change
    hid += P["wpe"][:T]
    buf = np.empty_like(hid)
    for p in P["blocks"]:
        proj3 = ln_into(buf, hid, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"]
        proj3 += p["b_qkv"]
        q, Kh, Vh = (z.reshape(bs, T, n_head, -1).transpose(0, 2, 1, 3) for z in np.split(proj3, 3, -1))
        att = q @ Kh.transpose(0, 1, 3, 2)
        att /= np.sqrt(d // n_head)
        att += np.triu(np.full((T, T), -np.inf), 1)
        att -= att.max(-1, keepdims=True)
        np.exp(att, out=att)
        att /= att.sum(-1, keepdims=True)
        hid += (att @ Vh).transpose(0, 2, 1, 3).reshape(bs, T, d) @ p["w_o"]
        hid += p["b_o"]
        u = ln_into(buf, hid, p["ln2_g"], p["ln2_b"]) @ p["w_fc"]
        u += p["b_fc"]
        t = u * u * u
        t *= 0.044715
        t += u
        t *= np.sqrt(2 / np.pi)
        np.tanh(t, out=t)
        t += 1
        t *= u
        t *= 0.5
        hid += t @ p["w_proj"]
        hid += p["b_proj"]
    return np.squeeze(ln_into(buf, hid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T)
