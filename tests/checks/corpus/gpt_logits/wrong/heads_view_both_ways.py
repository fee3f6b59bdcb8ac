# mistake: split and merge of the heads are both plain reshapes
# accept: transpos; swap; reshape; scrambl; swapaxes; axes
import numpy as np


class LayerNorm:
    def __init__(self, g, b, eps=1e-5):
        self.g, self.b, self.eps = g, b, eps

    def __call__(self, xs):
        m = xs.mean(axis=-1, keepdims=True)
        dots = ((xs - m) ** 2).mean(axis=-1, keepdims=True)
        return self.g * (xs - m) / np.sqrt(dots + self.eps) + self.b


class Attention:
    def __init__(self, w, n_head):
        self.p, self.n_head = w, n_head

    def split(self, t):
        b, n, dim = t.shape
        return t.reshape(b, self.n_head, n, dim // self.n_head)

    def __call__(self, xs):
        b, n, dim = xs.shape
        proj3 = xs @ self.p["w_qkv"] + self.p["b_qkv"]
        query, ks, value = [self.split(part) for part in np.split(proj3, 3, axis=2)]
        att = query @ ks.swapaxes(2, 3) * (dim // self.n_head) ** -0.5
        i = np.arange(n)
        att[:, :, i[:, None] < i[None, :]] = -np.inf
        att = np.exp(att - att.max(axis=3, keepdims=True))
        att /= att.sum(axis=3, keepdims=True)
        o = (att @ value).reshape(b, n, dim)
        return o @ self.p["w_o"] + self.p["b_o"]


class MLP:
    C = np.sqrt(2 / np.pi)

    def __init__(self, w):
        self.p = w

    def __call__(self, xs):
        h = xs @ self.p["w_fc"] + self.p["b_fc"]
        h = 0.5 * h * (1 + np.tanh(self.C * (h + 0.044715 * h**3)))
        return h @ self.p["w_proj"] + self.p["b_proj"]


class Block:
    def __init__(self, w, n_head):
        self.ln1 = LayerNorm(w["ln1_g"], w["ln1_b"])
        self.ln2 = LayerNorm(w["ln2_g"], w["ln2_b"])
        self.attn = Attention(w, n_head)
        self.mlp = MLP(w)

    def __call__(self, xs):
        xs = xs + self.attn(self.ln1(xs))
        return xs + self.mlp(self.ln2(xs))


class GPT:
    def __init__(self, P, n_head):
        self.wte, self.wpe = P["wte"], P["wpe"]
        self.blocks = [Block(w, n_head) for w in P["blocks"]]
        self.ln_f = LayerNorm(P["lnf_g"], P["lnf_b"])

    def __call__(self, idx):
        xs = self.wte[idx] + self.wpe[: idx.shape[1]]
        for block in self.blocks:
            xs = block(xs)
        return self.ln_f(xs) @ self.wte.T


def gpt_logits(P, idx, n_head):
    return GPT(P, n_head)(idx)
