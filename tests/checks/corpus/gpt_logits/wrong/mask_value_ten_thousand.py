# mistake: fills with -1e4, as good as -inf only for ordinary scores: scores below -1e4 leak the future
# accept: 1e4; -10000; −10000; 10,000; 10⁴; too weak; weak; finite; leak; not low enough; not small enough; fill; not -inf; instead of -inf; instead of −inf
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
class Network:
    cfg: Config
    params: dict

    def norm(self, h_res, name, scope):
        g, b = scope[name + "_g"], scope[name + "_b"]
        u = h_res - h_res.mean(axis=-1, keepdims=True)
        return u / np.sqrt(np.square(u).mean(axis=-1, keepdims=True) + self.cfg.eps) * g + b

    def attn(self, h_res, scope):
        c = self.cfg
        n = h_res.shape[1]
        qkv = h_res @ scope["w_qkv"] + scope["b_qkv"]
        q, Kh, Vh = (qkv[..., sim:sim + c.n_embd] for sim in (0, c.n_embd, 2 * c.n_embd))
        to_heads = lambda t: t.reshape(-1, n, c.n_head, c.head_dim).swapaxes(1, 2)
        w = to_heads(q) @ to_heads(Kh).swapaxes(2, 3) * (1.0 / np.sqrt(c.head_dim))
        b = np.tril(np.ones((n, n)))
        w = np.where(b[None, None], w, -1e4)
        w = np.exp(w - w.max(axis=-1, keepdims=True))
        w /= w.sum(axis=-1, keepdims=True)
        return (w @ to_heads(Vh)).swapaxes(1, 2).reshape(h_res.shape) @ scope["w_o"] + scope["b_o"]

    def mlp(self, h_res, scope):
        z = h_res @ scope["w_fc"] + scope["b_fc"]
        z = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z * z * z)))
        return z @ scope["w_proj"] + scope["b_proj"]

    def forward(self, ids):
        h_res = self.params["wte"][ids] + self.params["wpe"][: ids.shape[1]]
        for scope in self.params["blocks"]:
            h_res = h_res + self.attn(self.norm(h_res, "ln1", scope), scope)
            h_res = h_res + self.mlp(self.norm(h_res, "ln2", scope), scope)
        return self.norm(h_res, "lnf", self.params) @ self.params["wte"].T


def gpt_logits(P, idx, n_head):
    V, d = P["wte"].shape
    return Network(Config(V, len(P["wpe"]), d, n_head), P).forward(idx)
