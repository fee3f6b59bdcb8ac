import numpy as np


def layer_norm(x, g, b):
    mean, sd = x.mean(1, keepdims=True), np.sqrt(x.var(1, keepdims=True) + 1e-5)
    return g * ((x - mean) / sd) + b


# works on a flat (B*T, d) matrix; only attention looks at the sequence axis
def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    V, d = P["wte"].shape
    dk = d // n_head
    X = P["wte"][idx.ravel()] + np.tile(P["wpe"][:T], (B, 1))
    for w in P["blocks"]:
        H = layer_norm(X, w["ln1_g"], w["ln1_b"]) @ w["w_qkv"] + w["b_qkv"]     # (BT, 3d)
        H = H.reshape(B, T, 3, n_head, dk).transpose(2, 0, 3, 1, 4).reshape(3, B * n_head, T, dk)
        S = H[0] @ H[1].transpose(0, 2, 1) / dk ** 0.5
        S = S + np.triu(np.full((T, T), -np.inf), k=1)
        S = np.exp(S - S.max(2)[:, :, None])
        S = S / S.sum(2)[:, :, None]
        H = (S @ H[2]).reshape(B, n_head, T, dk).transpose(0, 2, 1, 3).reshape(B * T, d)
        X = X + H @ w["w_o"] + w["b_o"]
        H = layer_norm(X, w["ln2_g"], w["ln2_b"]) @ w["w_fc"] + w["b_fc"]
        H = 0.5 * H * (1 + np.tanh(np.sqrt(2 / np.pi) * (H + 0.044715 * H ** 3)))
        X = X + H @ w["w_proj"] + w["b_proj"]
    return (layer_norm(X, P["lnf_g"], P["lnf_b"]) @ P["wte"].T).reshape(B, T, V)
