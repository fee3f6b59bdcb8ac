# mistake: the final LayerNorm is applied twice
# accept: twice; two times; double; second final; again; once too
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

    def norm(self, resid, name, scope):
        g, b = scope[name + "_g"], scope[name + "_b"]
        u = resid - resid.mean(axis=-1, keepdims=True)
        return u / np.sqrt(np.square(u).mean(axis=-1, keepdims=True) + self.cfg.eps) * g + b

    def attn(self, resid, scope):
        c = self.cfg
        n = resid.shape[1]
        qkv = resid @ scope["w_qkv"] + scope["b_qkv"]
        qs, key, vs = (qkv[..., att:att + c.n_embd] for att in (0, c.n_embd, 2 * c.n_embd))
        to_heads = lambda t: t.reshape(-1, n, c.n_head, c.head_dim).swapaxes(1, 2)
        w = to_heads(qs) @ to_heads(key).swapaxes(2, 3) * (1.0 / np.sqrt(c.head_dim))
        b = np.tril(np.ones((n, n)))
        w = np.where(b[None, None], w, -1e10)
        w = np.exp(w - w.max(axis=-1, keepdims=True))
        w /= w.sum(axis=-1, keepdims=True)
        return (w @ to_heads(vs)).swapaxes(1, 2).reshape(resid.shape) @ scope["w_o"] + scope["b_o"]

    def mlp(self, resid, scope):
        z = resid @ scope["w_fc"] + scope["b_fc"]
        z = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z * z * z)))
        return z @ scope["w_proj"] + scope["b_proj"]

    def forward(self, ids):
        resid = self.params["wte"][ids] + self.params["wpe"][: ids.shape[1]]
        for scope in self.params["blocks"]:
            resid = resid + self.attn(self.norm(resid, "ln1", scope), scope)
            resid = resid + self.mlp(self.norm(resid, "ln2", scope), scope)
        resid = self.norm(resid, "lnf", self.params)
        return self.norm(resid, "lnf", self.params) @ self.params["wte"].T


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    return Gpt2(Config(V, len(P["wpe"]), d, n_head), P).forward(idx)
