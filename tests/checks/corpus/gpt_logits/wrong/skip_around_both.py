# mistake: one residual connection spans attention and MLP together, the stream has none in between
# accept: residual; skip connection; between; mlp; both
from abc import ABC, abstractmethod
import numpy as np


class Layer(ABC):
    @abstractmethod
    def apply(self, x): ...

    def __rshift__(self, other):
        return Chain(self, other)


class Chain(Layer):
    def __init__(self, first, second):
        self.first, self.second = first, second

    def apply(self, x):
        return self.second.apply(self.first.apply(x))


class Skip(Layer):
    def __init__(self, body):
        self.body = body

    def apply(self, x):
        return x + self.body.apply(x)


class Affine(Layer):
    def __init__(self, W, b=0.0):
        self.W, self.b = W, b

    def apply(self, x):
        return x @ self.W + self.b


class LayerNorm(Layer):
    def __init__(self, scope, name):
        self.gain, self.shift = scope[f"{name}_g"], scope[f"{name}_b"]

    def apply(self, x):
        z = x - x.mean(axis=-1, keepdims=True)
        return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-5) * self.gain + self.shift


class Gelu(Layer):
    def apply(self, x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


class CausalMix(Layer):
    def __init__(self, n_head):
        self.n_head = n_head

    def apply(self, qkv):
        batch, T, width = qkv.shape
        qs, key, value = qkv.reshape(batch, T, 3, self.n_head, width // 3 // self.n_head).transpose(2, 0, 3, 1, 4)
        s = np.einsum("bhik,bhjk->bhij", qs, key) / np.sqrt(qs.shape[-1])
        s = np.where(np.tri(T, dtype=bool), s, -np.inf)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        out = np.einsum("bhij,bhjk->bihk", w / w.sum(axis=-1, keepdims=True), value)
        return out.reshape(batch, T, width // 3)


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx] + P["wpe"][: idx.shape[1]]
    for blk in P["blocks"]:
        wei = LayerNorm(blk, "ln1") >> Affine(blk["w_qkv"], blk["b_qkv"]) >> CausalMix(n_head) >> Affine(blk["w_o"], blk["b_o"])
        mlp_fn = LayerNorm(blk, "ln2") >> Affine(blk["w_fc"], blk["b_fc"]) >> Gelu() >> Affine(blk["w_proj"], blk["b_proj"])
        x = Skip(wei >> mlp_fn).apply(x)
    return (LayerNorm(P, "lnf") >> Affine(P["wte"].T)).apply(x)
