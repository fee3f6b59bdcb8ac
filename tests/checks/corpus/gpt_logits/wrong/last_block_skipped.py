# mistake: the last block is left out
# accept: last block; L - 1; L − 1; one block; skip; left out; last layer; too few blocks; block & missing
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
        g, b = scope[name + '_g'], scope[name + '_b']
        u = x - x.mean(axis=-1, keepdims=True)
        return u / np.sqrt(np.square(u).mean(axis=-1, keepdims=True) + self.cfg.eps) * g + b

    def attn(self, x, scope):
        c = self.cfg
        n = x.shape[1]
        qkv = x @ scope['w_qkv'] + scope['b_qkv']
        q, Kh, v = (qkv[..., logit_s:logit_s + c.n_embd] for logit_s in (0, c.n_embd, 2 * c.n_embd))
        to_heads = lambda t: t.reshape(-1, n, c.n_head, c.head_dim).swapaxes(1, 2)
        w = to_heads(q) @ to_heads(Kh).swapaxes(2, 3) * (1.0 / np.sqrt(c.head_dim))
        b = np.tril(np.ones((n, n)))
        w = np.where(b[None, None], w, -1e10)
        w = np.exp(w - w.max(axis=-1, keepdims=True))
        w /= w.sum(axis=-1, keepdims=True)
        return (w @ to_heads(v)).swapaxes(1, 2).reshape(x.shape) @ scope['w_o'] + scope['b_o']

    def mlp(self, x, scope):
        z = x @ scope['w_fc'] + scope['b_fc']
        z = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z * z * z)))
        return z @ scope['w_proj'] + scope['b_proj']

    def forward(self, ids):
        x = self.params['wte'][ids] + self.params['wpe'][: ids.shape[1]]
        for scope in self.params['blocks'][:-1]:
            x = x + self.attn(self.norm(x, 'ln1', scope), scope)
            x = x + self.mlp(self.norm(x, 'ln2', scope), scope)
        return self.norm(x, 'lnf', self.params) @ self.params['wte'].T


def gpt_logits(P, idx, n_head):
    V, C = P['wte'].shape
    return Gpt2(Config(V, len(P['wpe']), C, n_head), P).forward(idx)
