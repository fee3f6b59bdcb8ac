# mistake: queries and keys are normalised to unit length before the product (QK norm)
# accept: qk norm; unit length; cosine; queries & normal; query & normal; scores; normalis
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Config:
    n_vocab: int
    n_ctx: int
    n_embd: int
    n_head: int
    eps: float = 1e-5

    @property
    def head_dim(self):
        return self.n_embd // self.n_head


@dataclass
class Gpt2:
    cfg: Config
    params: dict

    def norm(self, x, name, scope):
        g, b = scope[name + "_g"], scope[name + "_b"]
        up = x - x.mean(axis=-1, keepdims=True)
        return up / np.sqrt(np.square(up).mean(axis=-1, keepdims=True) + self.cfg.eps) * g + b

    def attn(self, x, scope):
        c = self.cfg
        n = x.shape[1]
        c_attn_out = x @ scope["w_qkv"] + scope["b_qkv"]
        qs, key, v = (c_attn_out[..., att:att + c.n_embd] for att in (0, c.n_embd, 2 * c.n_embd))
        to_heads = lambda t: t.reshape(-1, n, c.n_head, c.head_dim).swapaxes(1, 2)
        unit = lambda t: t / np.linalg.norm(t, axis=-1, keepdims=True)
        w = unit(to_heads(qs)) @ unit(to_heads(key)).swapaxes(2, 3) * (1.0 / np.sqrt(c.head_dim))
        b = np.tril(np.ones((n, n)))
        w = np.where(b[None, None], w, -1e10)
        w = np.exp(w - w.max(axis=-1, keepdims=True))
        w /= w.sum(axis=-1, keepdims=True)
        return (w @ to_heads(v)).swapaxes(1, 2).reshape(x.shape) @ scope["w_o"] + scope["b_o"]

    def mlp(self, x, scope):
        z = x @ scope["w_fc"] + scope["b_fc"]
        z = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z * z * z)))
        return z @ scope["w_proj"] + scope["b_proj"]

    def forward(self, ids):
        x = self.params["wte"][ids] + self.params["wpe"][: ids.shape[1]]
        for scope in self.params["blocks"]:
            x = x + self.attn(self.norm(x, "ln1", scope), scope)
            x = x + self.mlp(self.norm(x, "ln2", scope), scope)
        return self.norm(x, "lnf", self.params) @ self.params["wte"].T


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    return Gpt2(Config(V, len(P["wpe"]), d, n_head), P).forward(idx)
