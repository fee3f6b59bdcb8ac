# mistake: the variance of LayerNorm is the sum of squares over d-1
# accept: ddof; d - 1; d − 1; n - 1; n − 1; d-1; d−1; sample variance; population; unbiased; bessel
import numpy as np


def layer_norm(stream, g, b):
    avg = stream.mean(1, keepdims=True)
    sd = np.sqrt(((stream - avg) ** 2).sum(1, keepdims=True) / (stream.shape[1] - 1) + 1e-5)
    return g * ((stream - avg) / sd) + b


def gpt_logits(P, idx, n_head):
    bs, t = idx.shape
    V, dm = P["wte"].shape
    dk = dm // n_head
    X = P["wte"][idx.ravel()] + np.tile(P["wpe"][:t], (bs, 1))
    for w in P["blocks"]:
        hid = layer_norm(X, w["ln1_g"], w["ln1_b"]) @ w["w_qkv"] + w["b_qkv"]
        hid = hid.reshape(bs, t, 3, n_head, dk).transpose(2, 0, 3, 1, 4).reshape(3, bs * n_head, t, dk)
        S = hid[0] @ hid[1].transpose(0, 2, 1) / dk ** 0.5
        S = S + np.triu(np.full((t, t), -np.inf), k=1)
        S = np.exp(S - S.max(2)[:, :, None])
        S = S / S.sum(2)[:, :, None]
        hid = (S @ hid[2]).reshape(bs, n_head, t, dk).transpose(0, 2, 1, 3).reshape(bs * t, dm)
        X = X + hid @ w["w_o"] + w["b_o"]
        hid = layer_norm(X, w["ln2_g"], w["ln2_b"]) @ w["w_fc"] + w["b_fc"]
        hid = 0.5 * hid * (1 + np.tanh(np.sqrt(2 / np.pi) * (hid + 0.044715 * hid ** 3)))
        X = X + hid @ w["w_proj"] + w["b_proj"]
    return (layer_norm(X, P["lnf_g"], P["lnf_b"]) @ P["wte"].T).reshape(bs, t, V)
