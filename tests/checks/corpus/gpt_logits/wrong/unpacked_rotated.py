# mistake: the thirds are used as k, v, q (a cyclic shift)
# accept: order; q, k, v; swap; exchang; permut; k, v, q; v, q, k; mixed up; cyclic; thirds
import numpy as np


def layer_norm(hid, g, b):
    mean, sd = hid.mean(1, keepdims=True), np.sqrt(hid.var(1, keepdims=True) + 1e-5)
    return g * ((hid - mean) / sd) + b


# works on a flat (B*T, d) matrix; only attention looks at the sequence axis
def gpt_logits(P, idx, n_head):
    nb, T = idx.shape
    V, d = P['wte'].shape
    d_head = d // n_head
    R = P['wte'][idx.ravel()] + np.tile(P['wpe'][:T], (nb, 1))
    for w in P['blocks']:
        H = layer_norm(R, w['ln1_g'], w['ln1_b']) @ w['w_qkv'] + w['b_qkv']     # (BT, 3d)
        H = H.reshape(nb, T, 3, n_head, d_head).transpose(2, 0, 3, 1, 4).reshape(3, nb * n_head, T, d_head)
        H = H[[1, 2, 0]]
        sel = H[0] @ H[1].transpose(0, 2, 1) / d_head ** 0.5
        sel = sel + np.triu(np.full((T, T), -np.inf), k=1)
        sel = np.exp(sel - sel.max(2)[:, :, None])
        sel = sel / sel.sum(2)[:, :, None]
        H = (sel @ H[2]).reshape(nb, n_head, T, d_head).transpose(0, 2, 1, 3).reshape(nb * T, d)
        R = R + H @ w['w_o'] + w['b_o']
        H = layer_norm(R, w['ln2_g'], w['ln2_b']) @ w['w_fc'] + w['b_fc']
        H = 0.5 * H * (1 + np.tanh(np.sqrt(2 / np.pi) * (H + 0.044715 * H ** 3)))
        R = R + H @ w['w_proj'] + w['b_proj']
    return (layer_norm(R, P['lnf_g'], P['lnf_b']) @ P['wte'].T).reshape(nb, T, V)
