# mistake: the model object is built at the first call and kept in a global, later parameters are ignored
# accept: earlier call; previous call; cache; remember; state; second call; depends on; first call; global; stale
# shows: state
import numpy as np


class LayerNorm:
    def __init__(self, g, b, eps=1e-5):
        self.g, self.b, self.eps = g, b, eps

    def __call__(self, x):
        m = x.mean(axis=-1, keepdims=True)
        s = ((x - m) ** 2).mean(axis=-1, keepdims=True)
        return self.g * (x - m) / np.sqrt(s + self.eps) + self.b


class Attention:
    def __init__(self, p, n_head):
        self.p, self.n_head = p, n_head

    def split(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.n_head, d // self.n_head).swapaxes(1, 2)

    def __call__(self, x):
        b, n, d = x.shape
        qkv = x @ self.p["w_qkv"] + self.p["b_qkv"]
        q, k, v = [self.split(part) for part in np.split(qkv, 3, axis=2)]
        att = q @ k.swapaxes(2, 3) * (d // self.n_head) ** -0.5
        i = np.arange(n)
        att[:, :, i[:, None] < i[None, :]] = -np.inf
        att = np.exp(att - att.max(axis=3, keepdims=True))
        att /= att.sum(axis=3, keepdims=True)
        y = (att @ v).swapaxes(1, 2).reshape(b, n, d)
        return y @ self.p["w_o"] + self.p["b_o"]


class MLP:
    C = np.sqrt(2 / np.pi)

    def __init__(self, p):
        self.p = p

    def __call__(self, x):
        h = x @ self.p["w_fc"] + self.p["b_fc"]
        h = 0.5 * h * (1 + np.tanh(self.C * (h + 0.044715 * h**3)))
        return h @ self.p["w_proj"] + self.p["b_proj"]


class Block:
    def __init__(self, p, n_head):
        self.ln1 = LayerNorm(p["ln1_g"], p["ln1_b"])
        self.ln2 = LayerNorm(p["ln2_g"], p["ln2_b"])
        self.attn = Attention(p, n_head)
        self.mlp = MLP(p)

    def __call__(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT:
    def __init__(self, P, n_head):
        self.wte, self.wpe = P["wte"], P["wpe"]
        self.blocks = [Block(p, n_head) for p in P["blocks"]]
        self.ln_f = LayerNorm(P["lnf_g"], P["lnf_b"])

    def __call__(self, idx):
        x = self.wte[idx] + self.wpe[: idx.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.ln_f(x) @ self.wte.T


model = None


def gpt_logits(P, idx, n_head):
    global model
    if model is None:
        model = GPT(P, n_head)
    return model(idx)
