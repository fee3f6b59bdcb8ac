# mistake: the mask of the first call's length is kept in a global and used for all later lengths
# accept: earlier call; previous call; cache; remember; state; second call; depends on; first call; global; stale; other length; different length; longer
# shows: state
import numpy as np


class Module:
    def __call__(self, *a):
        return self.forward(*a)


class Linear(Module):
    def __init__(self, W, b=None):
        self.W, self.b = W, b

    def forward(self, acts):
        y = np.dot(acts, self.W)
        return y if self.b is None else y + self.b


class Norm(Module):
    def __init__(self, g, b):
        self.g, self.b = g, b

    def forward(self, acts):
        avg = np.mean(acts, -1, keepdims=True)
        dev = acts - avg
        return dev / np.sqrt(np.mean(dev**2, -1, keepdims=True) + 1e-5) * self.g + self.b


class Sequential(Module):
    def __init__(self, *mods):
        self.mods = mods

    def forward(self, acts):
        for m in self.mods:
            acts = m(acts)
        return acts


class GELU(Module):
    def forward(self, acts):
        t = np.tanh(np.sqrt(2 / np.pi) * (acts + 0.044715 * np.power(acts, 3)))
        return 0.5 * acts * (1 + t)


MASK = None


class CausalHeads(Module):
    def __init__(self, n_head):
        self.n_head = n_head

    def forward(self, proj3):
        nb, n_tok, D = proj3.shape
        query, k, Vh = proj3.reshape(nb, n_tok, 3, self.n_head, D // (3 * self.n_head)).transpose(2, 0, 3, 1, 4)
        logits = np.matmul(query, k.transpose(0, 1, 3, 2)) / np.sqrt(query.shape[-1])
        global MASK
        if MASK is None:
            MASK = np.triu(np.full((n_tok, n_tok), np.finfo(logits.dtype).min), 1)
        logits += MASK
        e = np.exp(logits - logits.max(-1, keepdims=True))
        return np.matmul(e / e.sum(-1, keepdims=True), Vh).transpose(0, 2, 1, 3).reshape(nb, n_tok, D // 3)


class Residual(Module):
    def __init__(self, inner):
        self.inner = inner

    def forward(self, acts):
        return acts + self.inner(acts)


def build(P, n_head):
    layers = []
    for b in P['blocks']:
        layers.append(Residual(Sequential(Norm(b['ln1_g'], b['ln1_b']), Linear(b['w_qkv'], b['b_qkv']),
                                          CausalHeads(n_head), Linear(b['w_o'], b['b_o']))))
        layers.append(Residual(Sequential(Norm(b['ln2_g'], b['ln2_b']), Linear(b['w_fc'], b['b_fc']),
                                          GELU(), Linear(b['w_proj'], b['b_proj']))))
    return Sequential(*layers, Norm(P['lnf_g'], P['lnf_b']), Linear(P['wte'].T))


def gpt_logits(P, idx, n_head):
    embedded = P['wte'][idx] + P['wpe'][np.arange(idx.shape[1])]
    return build(P, n_head)(embedded)
