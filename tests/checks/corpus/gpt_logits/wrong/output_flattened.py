# mistake: returns (B*T, V)
# accept: shape; flat; B·T; B*T; reshape
import numpy as np


def norm(h_res, g, b):
    mu, sd = h_res.mean(1, keepdims=True), np.sqrt(h_res.var(1, keepdims=True) + 1e-5)
    return g * ((h_res - mu) / sd) + b


# works on a flat (B*T, d) matrix; only attention looks at the sequence axis
def gpt_logits(P, idx, n_head):
    B, t = idx.shape
    V, d = P["wte"].shape
    dk = d // n_head
    X = P["wte"][idx.ravel()] + np.tile(P["wpe"][:t], (B, 1))
    for w in P["blocks"]:
        Hd = norm(X, w["ln1_g"], w["ln1_b"]) @ w["w_qkv"] + w["b_qkv"]     # (BT, 3d)
        Hd = Hd.reshape(B, t, 3, n_head, dk).transpose(2, 0, 3, 1, 4).reshape(3, B * n_head, t, dk)
        S = Hd[0] @ Hd[1].transpose(0, 2, 1) / dk ** 0.5
        S = S + np.triu(np.full((t, t), -np.inf), k=1)
        S = np.exp(S - S.max(2)[:, :, None])
        S = S / S.sum(2)[:, :, None]
        Hd = (S @ Hd[2]).reshape(B, n_head, t, dk).transpose(0, 2, 1, 3).reshape(B * t, d)
        X = X + Hd @ w["w_o"] + w["b_o"]
        Hd = norm(X, w["ln2_g"], w["ln2_b"]) @ w["w_fc"] + w["b_fc"]
        Hd = 0.5 * Hd * (1 + np.tanh(np.sqrt(2 / np.pi) * (Hd + 0.044715 * Hd ** 3)))
        X = X + Hd @ w["w_proj"] + w["b_proj"]
    return norm(X, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
