# mistake: 1 is added to the diagonal of the scores
# accept: diagonal; itself; own position; identity; self
import numpy as np


def gpt_logits(P, idx, n_head):
    B, T = idx.shape
    d = P["wte"].shape[1]
    dk = d // n_head

    # embeddings
    x = P["wte"][idx] + P["wpe"][:T]

    # causal mask: -inf above the diagonal
    mask = np.triu(np.full((T, T), -np.inf), k=1)

    for blk in P["blocks"]:
        # layer norm 1
        mu = x.mean(axis=-1, keepdims=True)
        var = x.var(axis=-1, keepdims=True)
        h = (x - mu) / np.sqrt(var + 1e-5) * blk["ln1_g"] + blk["ln1_b"]

        # attention
        qkv = h @ blk["w_qkv"] + blk["b_qkv"]
        q = qkv[:, :, :d]
        k = qkv[:, :, d:2 * d]
        v = qkv[:, :, 2 * d:]
        q = q.reshape(B, T, n_head, dk).transpose(0, 2, 1, 3)
        k = k.reshape(B, T, n_head, dk).transpose(0, 2, 1, 3)
        v = v.reshape(B, T, n_head, dk).transpose(0, 2, 1, 3)
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(dk)
        scores = scores + mask + np.eye(T)
        scores = scores - scores.max(axis=-1, keepdims=True)
        w = np.exp(scores)
        w = w / w.sum(axis=-1, keepdims=True)
        out = w @ v
        out = out.transpose(0, 2, 1, 3).reshape(B, T, d)
        out = out @ blk["w_o"] + blk["b_o"]
        x = x + out

        # layer norm 2
        mu = x.mean(axis=-1, keepdims=True)
        var = x.var(axis=-1, keepdims=True)
        h2 = (x - mu) / np.sqrt(var + 1e-5) * blk["ln2_g"] + blk["ln2_b"]

        # mlp
        a = h2 @ blk["w_fc"] + blk["b_fc"]
        a = 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a ** 3)))
        m = a @ blk["w_proj"] + blk["b_proj"]
        x = x + m

    # final layer norm and head
    mu = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    x = (x - mu) / np.sqrt(var + 1e-5) * P["lnf_g"] + P["lnf_b"]
    return x @ P["wte"].T
