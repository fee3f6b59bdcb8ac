# mistake: post-LN: normalises after the residual addition, as GPT-1
# accept: post; after the residual; after the addition; after adding; before the sublayer; order; pre ln
import numpy as np


class LayerNorm:
    def __init__(self, g, b, eps=1e-5):
        self.g, self.b, self.eps = g, b, eps

    def __call__(self, x):
        m = x.mean(axis=-1, keepdims=True)
        sc = ((x - m) ** 2).mean(axis=-1, keepdims=True)
        return self.g * (x - m) / np.sqrt(sc + self.eps) + self.b


class Attention:
    def __init__(self, lp, n_head):
        self.p, self.n_head = lp, n_head

    def split(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.n_head, d // self.n_head).swapaxes(1, 2)

    def __call__(self, x):
        b, n, d = x.shape
        qkv = x @ self.p["w_qkv"] + self.p["b_qkv"]
        q, Kh, v = [self.split(part) for part in np.split(qkv, 3, axis=2)]
        att = q @ Kh.swapaxes(2, 3) * (d // self.n_head) ** -0.5
        i = np.arange(n)
        att[:, :, i[:, None] < i[None, :]] = -np.inf
        att = np.exp(att - att.max(axis=3, keepdims=True))
        att /= att.sum(axis=3, keepdims=True)
        out = (att @ v).swapaxes(1, 2).reshape(b, n, d)
        return out @ self.p["w_o"] + self.p["b_o"]


class MLP:
    C = np.sqrt(2 / np.pi)

    def __init__(self, lp):
        self.p = lp

    def __call__(self, x):
        h = x @ self.p["w_fc"] + self.p["b_fc"]
        h = 0.5 * h * (1 + np.tanh(self.C * (h + 0.044715 * h**3)))
        return h @ self.p["w_proj"] + self.p["b_proj"]


class Block:
    def __init__(self, lp, n_head):
        self.ln1 = LayerNorm(lp["ln1_g"], lp["ln1_b"])
        self.ln2 = LayerNorm(lp["ln2_g"], lp["ln2_b"])
        self.attn = Attention(lp, n_head)
        self.mlp = MLP(lp)

    def __call__(self, x):
        x = self.ln1(x + self.attn(x))
        return self.ln2(x + self.mlp(x))


class GPT:
    def __init__(self, P, n_head):
        self.wte, self.wpe = P["wte"], P["wpe"]
        self.blocks = [Block(lp, n_head) for lp in P["blocks"]]
        self.ln_f = LayerNorm(P["lnf_g"], P["lnf_b"])

    def __call__(self, idx):
        x = self.wte[idx] + self.wpe[: idx.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.ln_f(x) @ self.wte.T


def gpt_logits(P, idx, n_head):
    return GPT(P, n_head)(idx)
