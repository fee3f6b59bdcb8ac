# mistake: the head is a new random matrix, not the token table
# accept: head$; tied; tie; wte; untied; token table; unembed
import numpy as np


class Module:
    def __call__(self, *a):
        return self.forward(*a)


class Linear(Module):
    def __init__(self, W, b=None):
        self.W, self.b = W, b

    def forward(self, h_res):
        ctx = np.dot(h_res, self.W)
        return ctx if self.b is None else ctx + self.b


class Norm(Module):
    def __init__(self, g, b):
        self.g, self.b = g, b

    def forward(self, h_res):
        mean = np.mean(h_res, -1, keepdims=True)
        dev = h_res - mean
        return dev / np.sqrt(np.mean(dev**2, -1, keepdims=True) + 1e-5) * self.g + self.b


class Sequential(Module):
    def __init__(self, *mods):
        self.mods = mods

    def forward(self, h_res):
        for m in self.mods:
            h_res = m(h_res)
        return h_res


class GELU(Module):
    def forward(self, h_res):
        t = np.tanh(np.sqrt(2 / np.pi) * (h_res + 0.044715 * np.power(h_res, 3)))
        return 0.5 * h_res * (1 + t)


class CausalHeads(Module):
    def __init__(self, n_head):
        self.n_head = n_head

    def forward(self, qkv):
        bs, T, D = qkv.shape
        Qh, k, v = qkv.reshape(bs, T, 3, self.n_head, D // (3 * self.n_head)).transpose(2, 0, 3, 1, 4)
        logits = np.matmul(Qh, k.transpose(0, 1, 3, 2)) / np.sqrt(Qh.shape[-1])
        logits += np.triu(np.full((T, T), np.finfo(logits.dtype).min), 1)
        e = np.exp(logits - logits.max(-1, keepdims=True))
        return np.matmul(e / e.sum(-1, keepdims=True), v).transpose(0, 2, 1, 3).reshape(bs, T, D // 3)


class Residual(Module):
    def __init__(self, inner):
        self.inner = inner

    def forward(self, h_res):
        return h_res + self.inner(h_res)


def build(P, n_head):
    layers = []
    for b in P['blocks']:
        layers.append(Residual(Sequential(Norm(b['ln1_g'], b['ln1_b']), Linear(b['w_qkv'], b['b_qkv']),
                                          CausalHeads(n_head), Linear(b['w_o'], b['b_o']))))
        layers.append(Residual(Sequential(Norm(b['ln2_g'], b['ln2_b']), Linear(b['w_fc'], b['b_fc']),
                                          GELU(), Linear(b['w_proj'], b['b_proj']))))
    V, dm = P['wte'].shape
    lm_head = np.random.default_rng(0).normal(0, 0.02, (dm, V))
    return Sequential(*layers, Norm(P['lnf_g'], P['lnf_b']), Linear(lm_head))


def gpt_logits(P, idx, n_head):
    embedded = P['wte'][idx] + P['wpe'][np.arange(idx.shape[1])]
    return build(P, n_head)(embedded)
