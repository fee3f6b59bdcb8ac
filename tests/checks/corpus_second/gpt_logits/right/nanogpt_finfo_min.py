import math

import numpy as np


class LayerNorm:
    def __init__(self, weight, bias, eps=1e-5):
        self.weight = weight
        self.bias = bias
        self.eps = eps

    def __call__(self, x):
        mean = np.mean(x, axis=-1, keepdims=True)
        var = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
        return self.weight * (x - mean) / np.sqrt(var + self.eps) + self.bias


class Linear:
    def __init__(self, weight, bias):
        self.weight = weight
        self.bias = bias

    def __call__(self, x):
        return x @ self.weight + self.bias


class CausalSelfAttention:
    def __init__(self, p, n_head):
        self.c_attn = Linear(p["w_qkv"], p["b_qkv"])
        self.c_proj = Linear(p["w_o"], p["b_o"])
        self.n_head = n_head
        self.n_embd = p["w_o"].shape[0]

    def __call__(self, x):
        B, T, C = x.shape
        q, k, v = np.split(self.c_attn(x), 3, axis=2)
        k = k.reshape(B, T, self.n_head, C // self.n_head).swapaxes(1, 2)  # (B, nh, T, hs)
        q = q.reshape(B, T, self.n_head, C // self.n_head).swapaxes(1, 2)
        v = v.reshape(B, T, self.n_head, C // self.n_head).swapaxes(1, 2)
        att = (q @ k.swapaxes(-2, -1)) * (1.0 / math.sqrt(k.shape[-1]))
        bias = np.tril(np.ones((T, T))).reshape(1, 1, T, T)
        att = np.where(bias == 0, np.finfo(att.dtype).min, att)
        att = softmax(att)
        y = att @ v  # (B, nh, T, hs)
        y = y.swapaxes(1, 2).reshape(B, T, C)
        return self.c_proj(y)


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def new_gelu(x):
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * np.power(x, 3.0))))


class MLP:
    def __init__(self, p):
        self.c_fc = Linear(p["w_fc"], p["b_fc"])
        self.c_proj = Linear(p["w_proj"], p["b_proj"])

    def __call__(self, x):
        x = self.c_fc(x)
        x = new_gelu(x)
        x = self.c_proj(x)
        return x


class Block:
    def __init__(self, p, n_head):
        self.ln_1 = LayerNorm(p["ln1_g"], p["ln1_b"])
        self.attn = CausalSelfAttention(p, n_head)
        self.ln_2 = LayerNorm(p["ln2_g"], p["ln2_b"])
        self.mlp = MLP(p)

    def __call__(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class GPT:
    def __init__(self, P, n_head):
        self.wte = P["wte"]
        self.wpe = P["wpe"]
        self.h = [Block(p, n_head) for p in P["blocks"]]
        self.ln_f = LayerNorm(P["lnf_g"], P["lnf_b"])

    def forward(self, idx):
        b, t = idx.shape
        pos = np.arange(0, t)
        tok_emb = self.wte[idx]  # (b, t, n_embd)
        pos_emb = self.wpe[pos]  # (t, n_embd)
        x = tok_emb + pos_emb
        for block in self.h:
            x = block(x)
        x = self.ln_f(x)
        return x @ self.wte.T


def gpt_logits(P, idx, n_head):
    model = GPT(P, n_head)
    return model.forward(idx)
