# mistake: two: the scores are divided by √d, and LayerNorm has eps 1e-6
# accept: √d; model width; full width; whole width; d_model; √n_embd
# accept: eps; epsilon; 1e-6; ε
import numpy as np


def layer_norm(hid, g, b):
    mu, sd = hid.mean(1, keepdims=True), np.sqrt(hid.var(1, keepdims=True) + 1e-6)
    return g * ((hid - mu) / sd) + b


def gpt_logits(P, idx, n_head):
    B, n_tok = idx.shape
    V, n_embd = P["wte"].shape
    d_head = n_embd // n_head
    R = P["wte"][idx.ravel()] + np.tile(P["wpe"][:n_tok], (B, 1))
    for w in P["blocks"]:
        act = layer_norm(R, w["ln1_g"], w["ln1_b"]) @ w["w_qkv"] + w["b_qkv"]
        act = act.reshape(B, n_tok, 3, n_head, d_head).transpose(2, 0, 3, 1, 4).reshape(3, B * n_head, n_tok, d_head)
        onehot_in = act[0] @ act[1].transpose(0, 2, 1) / n_embd ** 0.5
        onehot_in = onehot_in + np.triu(np.full((n_tok, n_tok), -np.inf), k=1)
        onehot_in = np.exp(onehot_in - onehot_in.max(2)[:, :, None])
        onehot_in = onehot_in / onehot_in.sum(2)[:, :, None]
        act = (onehot_in @ act[2]).reshape(B, n_head, n_tok, d_head).transpose(0, 2, 1, 3).reshape(B * n_tok, n_embd)
        R = R + act @ w["w_o"] + w["b_o"]
        act = layer_norm(R, w["ln2_g"], w["ln2_b"]) @ w["w_fc"] + w["b_fc"]
        act = 0.5 * act * (1 + np.tanh(np.sqrt(2 / np.pi) * (act + 0.044715 * act ** 3)))
        R = R + act @ w["w_proj"] + w["b_proj"]
    return (layer_norm(R, P["lnf_g"], P["lnf_b"]) @ P["wte"].T).reshape(B, n_tok, V)
