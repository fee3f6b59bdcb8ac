# mistake: the factor 1/2 of the GELU is missing
# accept: 0.5; ½; 1/2; half; factor 2; factor of 2; twice; doubled; factor
import numpy as np


def ln_into(out, x, g, b):
    np.subtract(x, x.mean(-1, keepdims=True), out=out)
    var = np.einsum("...i,...i->...", out, out) / x.shape[-1]
    out /= np.sqrt(var + 1e-5)[..., None]
    out *= g
    out += b
    return out


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    B, T = idx.shape
    x = P["wte"][idx]          # fancy indexing copies, safe to change
    x += P["wpe"][:T]
    buf = np.empty_like(x)
    for p in P["blocks"]:
        qkv = ln_into(buf, x, p["ln1_g"], p["ln1_b"]) @ p["w_qkv"]
        qkv += p["b_qkv"]
        q, k, v = (z.reshape(B, T, n_head, -1).transpose(0, 2, 1, 3) for z in np.split(qkv, 3, -1))
        s = q @ k.transpose(0, 1, 3, 2)
        s /= np.sqrt(d // n_head)
        s += np.triu(np.full((T, T), -np.inf), 1)
        s -= s.max(-1, keepdims=True)
        np.exp(s, out=s)
        s /= s.sum(-1, keepdims=True)
        x += (s @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ p["w_o"]
        x += p["b_o"]
        u = ln_into(buf, x, p["ln2_g"], p["ln2_b"]) @ p["w_fc"]
        u += p["b_fc"]
        t = u * u * u
        t *= 0.044715
        t += u
        t *= np.sqrt(2 / np.pi)
        np.tanh(t, out=t)
        t += 1
        t *= u
        x += t @ p["w_proj"]
        x += p["b_proj"]
    return ln_into(buf, x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
