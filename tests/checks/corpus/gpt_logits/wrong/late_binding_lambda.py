# mistake: the layer functions are made in a loop and bind the last block's weights late, so all layers use the last block
# accept: last block; same block; same weights; blocks[-1]; last layer; late bind; L - 1; closure
import numpy as np


def LN(resid, g, b):
    z = (resid - resid.mean(-1, keepdims=True)) / np.sqrt(resid.var(-1, keepdims=True) + 1e-5)
    return z * g + b


def sublayers(P, n_head):
    for blk in P["blocks"]:
        def wei(resid):
            B, seq, d = resid.shape
            q, k, v = np.split(LN(resid, blk["ln1_g"], blk["ln1_b"]) @ blk["w_qkv"] + blk["b_qkv"], 3, axis=2)
            q, k, v = [np.moveaxis(m.reshape(B, seq, n_head, -1), 2, 0) for m in (q, k, v)]    # (h, B, T, dk)
            s = np.matmul(q, np.moveaxis(k, -1, -2)) / np.sqrt(d // n_head)
            s = np.where(np.arange(seq)[None] > np.arange(seq)[:, None], -np.inf, s)
            s = np.exp(s - s.max(-1, keepdims=True))
            s = s / s.sum(-1, keepdims=True)
            return np.moveaxis(s @ v, 0, 2).reshape(B, seq, d) @ blk["w_o"] + blk["b_o"]

        def ff(resid):
            hidden = LN(resid, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]
            return 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden**3))) @ blk["w_proj"] + blk["b_proj"]

        yield wei
        yield ff


def gpt_logits(P, idx, n_head):
    resid = P["wte"][idx] + P["wpe"][None, np.arange(idx.shape[1]), :]
    for f in list(sublayers(P, n_head)):
        resid = resid + f(resid)
    return LN(resid, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
