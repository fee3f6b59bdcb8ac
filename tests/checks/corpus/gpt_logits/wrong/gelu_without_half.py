# mistake: the factor 1/2 of the GELU is missing
# accept: 0.5; 1/2; half; factor 2; factor of 2; twice; doubled; factor
import numpy as np


def ln_into(out, stream, g, b):
    np.subtract(stream, stream.mean(-1, keepdims=True), out=out)
    var = np.einsum('...i,...i->...', out, out) / stream.shape[-1]
    out /= np.sqrt(var + 1e-5)[..., None]
    out *= g
    out += b
    return out


def gpt_logits(P, idx, n_head):
    V, d = P['wte'].shape
    B, T = idx.shape
    stream = P['wte'][idx]          # fancy indexing copies, safe to change
    stream += P['wpe'][:T]
    buf = np.empty_like(stream)
    for p in P['blocks']:
        qkv = ln_into(buf, stream, p['ln1_g'], p['ln1_b']) @ p['w_qkv']
        qkv += p['b_qkv']
        q, Kh, v = (z.reshape(B, T, n_head, -1).transpose(0, 2, 1, 3) for z in np.split(qkv, 3, -1))
        sc = q @ Kh.transpose(0, 1, 3, 2)
        sc /= np.sqrt(d // n_head)
        sc += np.triu(np.full((T, T), -np.inf), 1)
        sc -= sc.max(-1, keepdims=True)
        np.exp(sc, out=sc)
        sc /= sc.sum(-1, keepdims=True)
        stream += (sc @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ p['w_o']
        stream += p['b_o']
        m_in = ln_into(buf, stream, p['ln2_g'], p['ln2_b']) @ p['w_fc']
        m_in += p['b_fc']
        t = m_in * m_in * m_in
        t *= 0.044715
        t += m_in
        t *= np.sqrt(2 / np.pi)
        np.tanh(t, out=t)
        t += 1
        t *= m_in
        stream += t @ p['w_proj']
        stream += p['b_proj']
    return ln_into(buf, stream, P['lnf_g'], P['lnf_b']) @ P['wte'].T
