# mistake: x sigmoid(1.702 x) in place of the tanh GELU; b_fc left out
# accept: 1.702; 1.702x; quick
# accept: b_fc; bias & first layer; bias & mlp & first
import numpy as np


class LayerNorm:
    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def __call__(self, x):
        m = np.mean(x, -1, keepdims=True)
        s = np.mean((x - m) ** 2, -1, keepdims=True)
        return (x - m) / np.sqrt(s + 1e-5) * self.weight + self.bias


class NewGELU:
    def __call__(self, x):
        return x / (1 + np.exp(-1.702 * x))


class CausalSelfAttention:
    def __init__(self, p, n_head):
        self.p = p
        self.n_head = n_head

    def heads(self, t):
        B, T, C = t.shape
        return t.reshape(B, T, self.n_head, C // self.n_head).swapaxes(1, 2)

    def __call__(self, x):
        B, T, C = x.shape
        qkv = x @ self.p["w_qkv"] + self.p["b_qkv"]
        q = self.heads(qkv[:, :, :C])
        k = self.heads(qkv[:, :, C : 2 * C])
        v = self.heads(qkv[:, :, 2 * C :])
        w = q @ k.swapaxes(-2, -1)
        w = w * (C // self.n_head) ** -0.5
        w = w + np.triu(np.full((T, T), -np.inf), k=1)
        w = np.exp(w - w.max(-1, keepdims=True))
        w = w / w.sum(-1, keepdims=True)
        out = (w @ v).swapaxes(1, 2).reshape(B, T, C)
        out = out @ self.p["w_o"] + self.p["b_o"]
        return out


class MLP:
    def __init__(self, p):
        self.p = p
        self.act = NewGELU()

    def __call__(self, x):
        x = x @ self.p["w_fc"]
        x = self.act(x)
        return x @ self.p["w_proj"] + self.p["b_proj"]


class Block:
    def __init__(self, p, n_head):
        self.ln_1 = LayerNorm(p["ln1_g"], p["ln1_b"])
        self.ln_2 = LayerNorm(p["ln2_g"], p["ln2_b"])
        self.attn = CausalSelfAttention(p, n_head)
        self.mlp = MLP(p)

    def __call__(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class GPT:
    def __init__(self, P, n_head):
        self.P = P
        self.h = [Block(p, n_head) for p in P["blocks"]]
        self.ln_f = LayerNorm(P["lnf_g"], P["lnf_b"])

    def forward(self, idx):
        tok_emb = self.P["wte"][idx]
        pos_emb = self.P["wpe"][: idx.shape[1]]
        x = tok_emb + pos_emb
        for block in self.h:
            x = block(x)
        x = self.ln_f(x)
        logits = x @ self.P["wte"].T
        return logits


def gpt_logits(P, idx, n_head):
    return GPT(P, n_head).forward(idx)
