# mistake: the LayerNorm is put on the sublayer's output, x + LN(f(x)), instead of its input
# accept: output; after the sublayer; input of the sublayer; place; sandwich; post; wrong side; sublayer & input
import numpy as np


def lnorm(x, g, b):
    z = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return z * g + b


def sublayers(P, n_head):
    for lp in P["blocks"]:
        def wei(x, lp=lp):
            B, n_tok, dm = x.shape
            query, k, vs = np.split(x @ lp["w_qkv"] + lp["b_qkv"], 3, axis=2)
            query, k, vs = [np.moveaxis(m.reshape(B, n_tok, n_head, -1), 2, 0) for m in (query, k, vs)]
            logit_s = np.matmul(query, np.moveaxis(k, -1, -2)) / np.sqrt(dm // n_head)
            logit_s = np.where(np.arange(n_tok)[None] > np.arange(n_tok)[:, None], -np.inf, logit_s)
            logit_s = np.exp(logit_s - logit_s.max(-1, keepdims=True))
            logit_s = logit_s / logit_s.sum(-1, keepdims=True)
            return lnorm(np.moveaxis(logit_s @ vs, 0, 2).reshape(B, n_tok, dm) @ lp["w_o"] + lp["b_o"], lp["ln1_g"], lp["ln1_b"])

        def ff(x, lp=lp):
            u = x @ lp["w_fc"] + lp["b_fc"]
            u = 0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))
            return lnorm(u @ lp["w_proj"] + lp["b_proj"], lp["ln2_g"], lp["ln2_b"])

        yield wei
        yield ff


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx] + P["wpe"][None, np.arange(idx.shape[1]), :]
    for f in sublayers(P, n_head):
        x = x + f(x)
    return lnorm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
