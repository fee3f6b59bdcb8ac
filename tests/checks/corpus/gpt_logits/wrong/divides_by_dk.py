# mistake: divides the scores by d_k, the square root is missing
# accept: by d_k; 1/d_k; twice; without the root; without the square root; no square root; missing square root; square root is missing; instead of √d_k; square root
import numpy as np


class Dense:
    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def __call__(self, x):
        size_out = x.shape[:-1] + (self.weight.shape[1],)
        return (x.reshape(-1, x.shape[-1]) @ self.weight + self.bias).reshape(size_out)


class GPT2Attention:
    def __init__(self, layer, num_heads):
        self.c_attn = Dense(layer["w_qkv"], layer["b_qkv"])
        self.c_proj = Dense(layer["w_o"], layer["b_o"])
        self.num_heads = num_heads

    def _split_heads(self, t):
        return t.reshape(t.shape[:-1] + (self.num_heads, -1)).transpose(0, 2, 1, 3)

    def _merge_heads(self, t):
        t = t.transpose(0, 2, 1, 3)
        return t.reshape(t.shape[:2] + (-1,))

    def __call__(self, h):
        query, key, value = (self._split_heads(t) for t in np.split(self.c_attn(h), 3, axis=2))
        w = np.matmul(query, key.transpose(0, 1, 3, 2)) / value.shape[-1]
        n = w.shape[-1]
        causal = np.tril(np.ones((n, n), dtype=bool)).reshape(1, 1, n, n)
        w = np.where(causal, w, np.finfo(w.dtype).min)
        w = np.exp(w - w.max(axis=-1, keepdims=True))
        w = w / w.sum(axis=-1, keepdims=True)
        return self.c_proj(self._merge_heads(np.matmul(w, value)))


class GPT2MLP:
    def __init__(self, layer):
        self.c_fc, self.c_proj = Dense(layer["w_fc"], layer["b_fc"]), Dense(layer["w_proj"], layer["b_proj"])

    def __call__(self, h):
        a = self.c_fc(h)
        a = 0.5 * a * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (a + 0.044715 * np.power(a, 3.0))))
        return self.c_proj(a)


def layer_norm(x, weight, bias):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-05) * weight + bias


def gpt_logits(P, idx, n_head):
    position_ids = np.arange(0, idx.shape[-1])[None]
    h = P["wte"][idx] + P["wpe"][position_ids]
    for layer in P["blocks"]:
        residual = h
        attn_output = GPT2Attention(layer, n_head)(layer_norm(h, layer["ln1_g"], layer["ln1_b"]))
        h = attn_output + residual
        residual = h
        h = residual + GPT2MLP(layer)(layer_norm(h, layer["ln2_g"], layer["ln2_b"]))
    return layer_norm(h, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
