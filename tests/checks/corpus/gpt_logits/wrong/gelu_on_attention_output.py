# mistake: GELU is applied to the attention output as well
# accept: attention & gelu; attention & activation; attention & nonlinear; attention output
import numpy as np


def ln(stream, g, b):
    var = stream.var(-1)
    mu = stream.mean(-1)
    return ((stream.T - mu.T) / np.sqrt(var.T + 1e-5)).T * g + b


def gpt_logits(P, idx, n_head):
    # fold w_v and w_o per head ("OV circuit") and w_q, w_k ("QK circuit")
    dim = P["wte"].shape[1]
    ks = dim // n_head
    nb, seq = idx.shape
    stream = P["wte"][idx] + P["wpe"][:seq]
    tri = np.tri(seq, dtype=bool)
    act = lambda a: 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3)))
    for blk in P["blocks"]:
        n = ln(stream, blk["ln1_g"], blk["ln1_b"])
        W = blk["w_qkv"].reshape(dim, 3, n_head, ks)
        c = blk["b_qkv"].reshape(3, n_head, ks)
        O = blk["w_o"].reshape(n_head, ks, dim)
        WQK = np.einsum("dhk,ehk->hde", W[:, 0], W[:, 1])
        bQ = np.einsum("hk,ehk->he", c[0], W[:, 1])              # the rest is constant along a row
        s = np.einsum("btd,hde,bse->bhts", n, WQK, n, optimize=True)
        s = s + np.einsum("he,bse->bhs", bQ, n)[:, :, None, :]
        s = np.where(tri, s / np.sqrt(ks), -np.inf)
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        WOV = np.einsum("dhk,hke->hde", W[:, 2], O)
        stream = stream + act(np.einsum("bhts,bsd,hde->bte", s, n, WOV, optimize=True) + np.einsum("hk,hke->e", c[2], O) + blk["b_o"])
        up = ln(stream, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]
        up = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up**3)))
        stream = stream + up @ blk["w_proj"] + blk["b_proj"]
    return ln(stream, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
