# mistake: the row maximum is taken before masking, so all visible weights can underflow: 0/0
# accept: underflow; stab; large score; nan; 0/0; masked score; before the mask; before masking; overflow; future score
import numpy as np



def layernorm(x, g, b, eps=1e-5):
    xc = x - x.mean(-1, keepdims=True)
    return xc / (xc.var(-1, keepdims=True) + eps) ** 0.5 * g + b


def masked_softmax(onehot_in):
    keep = np.tril(np.ones(onehot_in.shape[-2:]))
    top = onehot_in.max(axis=-1, keepdims=True)
    E = np.exp(onehot_in - top) * keep
    return E / E.sum(axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    B, T = np.shape(idx)
    h = P["wte"][idx] + P["wpe"][None, :T]
    n_embd = h.shape[2]
    for b in P["blocks"]:
        a = layernorm(h, b["ln1_g"], b["ln1_b"]) @ b["w_qkv"] + b["b_qkv"]
        q, k, v = (a[..., i * n_embd:(i + 1) * n_embd].reshape(B, T, n_head, -1).transpose(0, 2, 1, 3) for i in range(3))
        A = masked_softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(n_embd / n_head))
        a = np.transpose(A @ v, (0, 2, 1, 3)).reshape(B, T, n_embd)
        h = h + a @ b["w_o"] + b["b_o"]
        f = layernorm(h, b["ln2_g"], b["ln2_b"]) @ b["w_fc"] + b["b_fc"]
        f = f * 0.5 * (np.tanh((f + f**3 * 0.044715) * np.sqrt(2 / np.pi)) + 1)
        h = h + f @ b["w_proj"] + b["b_proj"]
    return layernorm(h, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
