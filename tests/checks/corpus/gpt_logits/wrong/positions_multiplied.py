# mistake: position rows are multiplied with the token rows instead of added
# accept: multipl; product; instead of add; not added; times
import numpy as np
import numpy.ma as ma


def _normalise(hid, scale, shift):
    mu = hid.mean(axis=-1)[..., np.newaxis]
    std = np.sqrt(hid.var(axis=-1)[..., np.newaxis] + 1e-5)
    return (hid - mu) / std * scale + shift


def _attention_probs(sims):
    size = sims.shape[-1]
    hidden = np.broadcast_to(~np.tri(size, dtype=bool), sims.shape)
    m = ma.masked_array(sims, mask=hidden)
    m = ma.exp(m - m.max(axis=-1, keepdims=True))
    m = m / m.sum(axis=-1, keepdims=True)
    return m.filled(0.0)


def gpt_logits(P, idx, n_head):
    n_batch, n_tok = idx.shape
    width = P["wte"].shape[-1]
    hid = P["wte"][idx] * P["wpe"][:n_tok][np.newaxis, :, :]
    for layer in P["blocks"]:
        ctx = _normalise(hid, layer["ln1_g"], layer["ln1_b"]) @ layer["w_qkv"] + layer["b_qkv"]
        ctx = ctx.reshape(n_batch, n_tok, 3 * n_head, width // n_head).transpose(0, 2, 1, 3)
        q, k, v = ctx[:, :n_head], ctx[:, n_head:-n_head], ctx[:, -n_head:]
        w = _attention_probs((q @ k.transpose(0, 1, 3, 2)) / (width // n_head) ** 0.5)
        o = (w @ v).transpose(0, 2, 1, 3).reshape(n_batch, n_tok, width)
        hid = hid + (o @ layer["w_o"] + layer["b_o"])
        z = _normalise(hid, layer["ln2_g"], layer["ln2_b"]) @ layer["w_fc"] + layer["b_fc"]
        z = 0.5 * z * (1 + np.tanh((2 / np.pi) ** 0.5 * (z + 0.044715 * np.power(z, 3))))
        hid = hid + (z @ layer["w_proj"] + layer["b_proj"])
    return _normalise(hid, P["lnf_g"], P["lnf_b"]) @ P["wte"].transpose()
