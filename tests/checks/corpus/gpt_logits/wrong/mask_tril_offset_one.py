# mistake: comparison allows key t+1 for query t
# accept: next token; next position; one position ahead; one ahead; one token ahead; off by one; diagonal; t + 1; one step; one too many; t+1
import numpy as np


class LayerNorm:
    def __init__(self, g, b, eps=1e-5):
        self.g, self.b, self.eps = g, b, eps

    def __call__(self, xs):
        m = xs.mean(axis=-1, keepdims=True)
        logit_s = ((xs - m) ** 2).mean(axis=-1, keepdims=True)
        return self.g * (xs - m) / np.sqrt(logit_s + self.eps) + self.b


class Attention:
    def __init__(self, params_l, n_head):
        self.p, self.n_head = params_l, n_head

    def split(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.n_head, d // self.n_head).swapaxes(1, 2)

    def __call__(self, xs):
        b, n, d = xs.shape
        qkv = xs @ self.p["w_qkv"] + self.p["b_qkv"]
        qs, Kh, vs = [self.split(part) for part in np.split(qkv, 3, axis=2)]
        att = qs @ Kh.swapaxes(2, 3) * (d // self.n_head) ** -0.5
        i = np.arange(n)
        att[:, :, i[:, None] + 1 < i[None, :]] = -np.inf
        att = np.exp(att - att.max(axis=3, keepdims=True))
        att /= att.sum(axis=3, keepdims=True)
        out = (att @ vs).swapaxes(1, 2).reshape(b, n, d)
        return out @ self.p["w_o"] + self.p["b_o"]


class MLP:
    C = np.sqrt(2 / np.pi)

    def __init__(self, params_l):
        self.p = params_l

    def __call__(self, xs):
        h = xs @ self.p["w_fc"] + self.p["b_fc"]
        h = 0.5 * h * (1 + np.tanh(self.C * (h + 0.044715 * h**3)))
        return h @ self.p["w_proj"] + self.p["b_proj"]


class Block:
    def __init__(self, params_l, n_head):
        self.ln1 = LayerNorm(params_l["ln1_g"], params_l["ln1_b"])
        self.ln2 = LayerNorm(params_l["ln2_g"], params_l["ln2_b"])
        self.attn = Attention(params_l, n_head)
        self.mlp = MLP(params_l)

    def __call__(self, xs):
        xs = xs + self.attn(self.ln1(xs))
        return xs + self.mlp(self.ln2(xs))


class Model:
    def __init__(self, P, n_head):
        self.wte, self.wpe = P["wte"], P["wpe"]
        self.blocks = [Block(params_l, n_head) for params_l in P["blocks"]]
        self.ln_f = LayerNorm(P["lnf_g"], P["lnf_b"])

    def __call__(self, idx):
        xs = self.wte[idx] + self.wpe[: idx.shape[1]]
        for blk in self.blocks:
            xs = blk(xs)
        return self.ln_f(xs) @ self.wte.T


def gpt_logits(P, idx, n_head):
    return Model(P, n_head)(idx)
