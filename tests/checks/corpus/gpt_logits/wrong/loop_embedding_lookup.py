# mistake: right values, but the embedding rows are fetched one position at a time
# accept: loop; vectoris; one at a time; one by one; step by step
# shows: loop
import numpy as np
import numpy.ma as ma


def _normalise(xs, scale, shift):
    mean = xs.mean(axis=-1)[..., np.newaxis]
    std = np.sqrt(xs.var(axis=-1)[..., np.newaxis] + 1e-5)
    return (xs - mean) / std * scale + shift


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
    xs = np.zeros((n_batch, n_tok, width))
    for t in range(n_tok):
        xs[:, t] = P["wte"][idx[:, t]] + P["wpe"][t]
    for layer in P["blocks"]:
        ctx = _normalise(xs, layer["ln1_g"], layer["ln1_b"]) @ layer["w_qkv"] + layer["b_qkv"]
        ctx = ctx.reshape(n_batch, n_tok, 3 * n_head, width // n_head).transpose(0, 2, 1, 3)
        qs, k, v = ctx[:, :n_head], ctx[:, n_head:-n_head], ctx[:, -n_head:]
        params_l = _attention_probs((qs @ k.transpose(0, 1, 3, 2)) / (width // n_head) ** 0.5)
        o = (params_l @ v).transpose(0, 2, 1, 3).reshape(n_batch, n_tok, width)
        xs = xs + (o @ layer["w_o"] + layer["b_o"])
        z = _normalise(xs, layer["ln2_g"], layer["ln2_b"]) @ layer["w_fc"] + layer["b_fc"]
        z = 0.5 * z * (1 + np.tanh((2 / np.pi) ** 0.5 * (z + 0.044715 * np.power(z, 3))))
        xs = xs + (z @ layer["w_proj"] + layer["b_proj"])
    return _normalise(xs, P["lnf_g"], P["lnf_b"]) @ P["wte"].transpose()
