# mistake: the time axis is flipped but the mask is not, so each position sees only the future
# accept: upside down; flipped; reversed; inverted; wrong triangle; upper; other triangle; hides the past; transposed; wrong way round; the past; mirrored; only the future
import numpy as np


def ln(stream, g, b):
    m = stream.mean(-1, keepdims=True)
    vs = stream.var(-1, keepdims=True)
    return (stream - m) / np.sqrt(vs + 1e-5) * g + b


def gpt_logits(P, idx, n_head):
    """Newest token first inside; the mask is then upper triangular."""
    nb, t = idx.shape
    d = P["wte"].shape[1]
    stream = (P["wte"][idx] + P["wpe"][:t])[:, ::-1]
    for par in P["blocks"]:
        z = ln(stream, par["ln1_g"], par["ln1_b"]) @ par["w_qkv"] + par["b_qkv"]
        qs, Kh, vs = [m.reshape(nb, t, n_head, d // n_head).swapaxes(1, 2) for m in np.split(z, 3, axis=-1)]
        sc = qs @ Kh.swapaxes(-1, -2) / np.sqrt(d // n_head)
        sc = np.where(np.tril(np.ones((t, t), dtype=bool)), sc, -np.inf)
        sc = np.exp(sc - sc.max(-1, keepdims=True))
        sc = sc / sc.sum(-1, keepdims=True)
        stream = stream + (sc @ vs).swapaxes(1, 2).reshape(nb, t, d) @ par["w_o"] + par["b_o"]
        u = ln(stream, par["ln2_g"], par["ln2_b"]) @ par["w_fc"] + par["b_fc"]
        stream = stream + (0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ par["w_proj"] + par["b_proj"]
    return (ln(stream, P["lnf_g"], P["lnf_b"]) @ P["wte"].T)[:, ::-1]
