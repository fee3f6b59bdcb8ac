# mistake: √(2/π) multiplies only x, not the cubic term
# accept: bracket; parenthes; cubic; √(2/π); √(2 / π); both terms; only x; 0.044715; constant
import numpy as np


def layer_norm(x, g, b):
    mu, sd = x.mean(1, keepdims=True), np.sqrt(x.var(1, keepdims=True) + 1e-5)
    return g * ((x - mu) / sd) + b


def gpt_logits(P, idx, n_head):
    batch, seq = idx.shape
    V, d = P["wte"].shape
    d_head = d // n_head
    H_in = P["wte"][idx.ravel()] + np.tile(P["wpe"][:seq], (batch, 1))
    for w in P["blocks"]:
        H = layer_norm(H_in, w["ln1_g"], w["ln1_b"]) @ w["w_qkv"] + w["b_qkv"]
        H = H.reshape(batch, seq, 3, n_head, d_head).transpose(2, 0, 3, 1, 4).reshape(3, batch * n_head, seq, d_head)
        onehot_in = H[0] @ H[1].transpose(0, 2, 1) / d_head ** 0.5
        onehot_in = onehot_in + np.triu(np.full((seq, seq), -np.inf), k=1)
        onehot_in = np.exp(onehot_in - onehot_in.max(2)[:, :, None])
        onehot_in = onehot_in / onehot_in.sum(2)[:, :, None]
        H = (onehot_in @ H[2]).reshape(batch, n_head, seq, d_head).transpose(0, 2, 1, 3).reshape(batch * seq, d)
        H_in = H_in + H @ w["w_o"] + w["b_o"]
        H = layer_norm(H_in, w["ln2_g"], w["ln2_b"]) @ w["w_fc"] + w["b_fc"]
        H = 0.5 * H * (1 + np.tanh(np.sqrt(2 / np.pi) * H + 0.044715 * H ** 3))
        H_in = H_in + H @ w["w_proj"] + w["b_proj"]
    return (layer_norm(H_in, P["lnf_g"], P["lnf_b"]) @ P["wte"].T).reshape(batch, seq, V)
