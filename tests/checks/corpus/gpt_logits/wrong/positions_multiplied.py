# mistake: position rows are multiplied with the token rows instead of added
# accept: multipl; product; instead of add; not added; times
import numpy as np
import numpy.ma as ma


def _normalise(x, scale, shift):
    mean = x.mean(axis=-1)[..., np.newaxis]
    std = np.sqrt(x.var(axis=-1)[..., np.newaxis] + 1e-5)
    return (x - mean) / std * scale + shift


def _attention_probs(scores):
    size = scores.shape[-1]
    hidden = np.broadcast_to(~np.tri(size, dtype=bool), scores.shape)
    m = ma.masked_array(scores, mask=hidden)
    m = ma.exp(m - m.max(axis=-1, keepdims=True))
    m = m / m.sum(axis=-1, keepdims=True)
    return m.filled(0.0)


def gpt_logits(P, idx, n_head):
    n_batch, n_tok = idx.shape
    width = P["wte"].shape[-1]
    x = P["wte"][idx] * P["wpe"][:n_tok][np.newaxis, :, :]
    for layer in P["blocks"]:
        y = _normalise(x, layer["ln1_g"], layer["ln1_b"]) @ layer["w_qkv"] + layer["b_qkv"]
        y = y.reshape(n_batch, n_tok, 3 * n_head, width // n_head).transpose(0, 2, 1, 3)
        q, k, v = y[:, :n_head], y[:, n_head:-n_head], y[:, -n_head:]
        p = _attention_probs((q @ k.transpose(0, 1, 3, 2)) / (width // n_head) ** 0.5)
        o = (p @ v).transpose(0, 2, 1, 3).reshape(n_batch, n_tok, width)
        x = x + (o @ layer["w_o"] + layer["b_o"])
        z = _normalise(x, layer["ln2_g"], layer["ln2_b"]) @ layer["w_fc"] + layer["b_fc"]
        z = 0.5 * z * (1 + np.tanh((2 / np.pi) ** 0.5 * (z + 0.044715 * np.power(z, 3))))
        x = x + (z @ layer["w_proj"] + layer["b_proj"])
    return _normalise(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].transpose()
