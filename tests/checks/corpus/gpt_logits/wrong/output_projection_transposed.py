# mistake: w_o is used transposed, as nn.Linear stores it
# accept: w_o & transpos; output projection & transpos; w_o.T; w_oᵀ; transposed w_o
import numpy as np


class LayerNorm:
    def __init__(self, g, b, eps=1e-5):
        self.g, self.b, self.eps = g, b, eps

    def __call__(self, x):
        m = x.mean(axis=-1, keepdims=True)
        dots = ((x - m) ** 2).mean(axis=-1, keepdims=True)
        return self.g * (x - m) / np.sqrt(dots + self.eps) + self.b


class Attention:
    def __init__(self, p, n_head):
        self.p, self.n_head = p, n_head

    def split(self, t):
        b, n, dm = t.shape
        return t.reshape(b, n, self.n_head, dm // self.n_head).swapaxes(1, 2)

    def __call__(self, x):
        b, n, dm = x.shape
        c_attn_out = x @ self.p['w_qkv'] + self.p['b_qkv']
        q, key, Vh = [self.split(part) for part in np.split(c_attn_out, 3, axis=2)]
        att = q @ key.swapaxes(2, 3) * (dm // self.n_head) ** -0.5
        i = np.arange(n)
        att[:, :, i[:, None] < i[None, :]] = -np.inf
        att = np.exp(att - att.max(axis=3, keepdims=True))
        att /= att.sum(axis=3, keepdims=True)
        o = (att @ Vh).swapaxes(1, 2).reshape(b, n, dm)
        return o @ self.p['w_o'].T + self.p['b_o']


class MLP:
    C = np.sqrt(2 / np.pi)

    def __init__(self, p):
        self.p = p

    def __call__(self, x):
        h = x @ self.p['w_fc'] + self.p['b_fc']
        h = 0.5 * h * (1 + np.tanh(self.C * (h + 0.044715 * h**3)))
        return h @ self.p['w_proj'] + self.p['b_proj']


class Block:
    def __init__(self, p, n_head):
        self.ln1 = LayerNorm(p['ln1_g'], p['ln1_b'])
        self.ln2 = LayerNorm(p['ln2_g'], p['ln2_b'])
        self.attn = Attention(p, n_head)
        self.mlp = MLP(p)

    def __call__(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT:
    def __init__(self, P, n_head):
        self.wte, self.wpe = P['wte'], P['wpe']
        self.blocks = [Block(p, n_head) for p in P['blocks']]
        self.ln_f = LayerNorm(P['lnf_g'], P['lnf_b'])

    def __call__(self, idx):
        x = self.wte[idx] + self.wpe[: idx.shape[1]]
        for blk in self.blocks:
            x = blk(x)
        return self.ln_f(x) @ self.wte.T


def gpt_logits(P, idx, n_head):
    return GPT(P, n_head)(idx)
