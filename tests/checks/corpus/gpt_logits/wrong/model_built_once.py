# mistake: the model object is built at the first call and kept in a global, later parameters are ignored
# accept: earlier call; previous call; cache; remember; state; second call; depends on; first call; global; stale
# shows: state
import numpy as np


class LayerNorm:
    def __init__(self, g, b, eps=1e-5):
        self.g, self.b, self.eps = g, b, eps

    def __call__(self, hid):
        m = hid.mean(axis=-1, keepdims=True)
        s = ((hid - m) ** 2).mean(axis=-1, keepdims=True)
        return self.g * (hid - m) / np.sqrt(s + self.eps) + self.b


class Attention:
    def __init__(self, par, n_head):
        self.p, self.n_head = par, n_head

    def split(self, t):
        b, n, dim = t.shape
        return t.reshape(b, n, self.n_head, dim // self.n_head).swapaxes(1, 2)

    def __call__(self, hid):
        b, n, dim = hid.shape
        c_attn_out = hid @ self.p['w_qkv'] + self.p['b_qkv']
        query, k, vs = [self.split(part) for part in np.split(c_attn_out, 3, axis=2)]
        wei = query @ k.swapaxes(2, 3) * (dim // self.n_head) ** -0.5
        i = np.arange(n)
        wei[:, :, i[:, None] < i[None, :]] = -np.inf
        wei = np.exp(wei - wei.max(axis=3, keepdims=True))
        wei /= wei.sum(axis=3, keepdims=True)
        y = (wei @ vs).swapaxes(1, 2).reshape(b, n, dim)
        return y @ self.p['w_o'] + self.p['b_o']


class MLP:
    C = np.sqrt(2 / np.pi)

    def __init__(self, par):
        self.p = par

    def __call__(self, hid):
        h = hid @ self.p['w_fc'] + self.p['b_fc']
        h = 0.5 * h * (1 + np.tanh(self.C * (h + 0.044715 * h**3)))
        return h @ self.p['w_proj'] + self.p['b_proj']


class Block:
    def __init__(self, par, n_head):
        self.ln1 = LayerNorm(par['ln1_g'], par['ln1_b'])
        self.ln2 = LayerNorm(par['ln2_g'], par['ln2_b'])
        self.attn = Attention(par, n_head)
        self.mlp = MLP(par)

    def __call__(self, hid):
        hid = hid + self.attn(self.ln1(hid))
        return hid + self.mlp(self.ln2(hid))


class GPT:
    def __init__(self, P, n_head):
        self.wte, self.wpe = P['wte'], P['wpe']
        self.blocks = [Block(par, n_head) for par in P['blocks']]
        self.ln_f = LayerNorm(P['lnf_g'], P['lnf_b'])

    def __call__(self, idx):
        hid = self.wte[idx] + self.wpe[: idx.shape[1]]
        for blk in self.blocks:
            hid = blk(hid)
        return self.ln_f(hid) @ self.wte.T


model = None


def gpt_logits(P, idx, n_head):
    global model
    if model is None:
        model = GPT(P, n_head)
    return model(idx)
