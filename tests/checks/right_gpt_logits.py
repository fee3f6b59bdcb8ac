"""Right ways of writing `gpt_logits`, each a style that students use."""

import math

import numpy as np

A = math.sqrt(2 / math.pi)


def ln(x, g, b):
    return g * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + b


def gelu(x):
    return 0.5 * x * (1 + np.tanh(A * (x + 0.044715 * x**3)))


def head_axes(x, n_head):
    B, T, d = x.shape
    return x.reshape(B, T, n_head, d // n_head).transpose(0, 2, 1, 3)


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def forward(P, idx, n_head, attention, norm=ln, act=gelu):
    T = idx.shape[1]
    x = P["wte"][idx] + P["wpe"][:T]
    for b in P["blocks"]:
        x = x + attention(b, norm(x, b["ln1_g"], b["ln1_b"]), n_head)
        n = norm(x, b["ln2_g"], b["ln2_b"])
        x = x + act(n @ b["w_fc"] + b["b_fc"]) @ b["w_proj"] + b["b_proj"]
    return norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T


def plain_attention(b, x, n_head, mask=None):
    B, T, d = x.shape
    q, k, v = (head_axes(z, n_head) for z in np.split(x @ b["w_qkv"] + b["b_qkv"], 3, axis=-1))
    s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d // n_head)
    s = np.where(np.tril(np.ones((T, T), bool)), s, -np.inf) if mask is None else mask(s, T)
    return (softmax(s) @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ b["w_o"] + b["b_o"]


def with_mask(mask):
    return lambda P, idx, n_head: forward(
        P, idx, n_head, lambda b, x, h: plain_attention(b, x, h, mask)
    )


def einsum(P, idx, n_head):
    def attention(b, x, h):
        B, T, d = x.shape
        qkv = np.einsum("btd,de->bte", x, b["w_qkv"]) + b["b_qkv"]
        q, k, v = qkv.reshape(B, T, 3, h, d // h).transpose(2, 0, 3, 1, 4)
        s = np.einsum("bhqc,bhkc->bhqk", q, k, optimize=True) * (d // h) ** -0.5
        s[..., np.triu_indices(T, 1)[0], np.triu_indices(T, 1)[1]] = -np.inf
        y = np.einsum("bhqk,bhkc->bqhc", softmax(s), v)
        return np.einsum("btd,de->bte", y.reshape(B, T, d), b["w_o"]) + b["b_o"]

    return forward(P, idx, n_head, attention)


def heads_beside_positions(P, idx, n_head):
    def attention(b, x, h):
        B, T, d = x.shape
        qkv = x @ b["w_qkv"] + b["b_qkv"]
        q, k, v = [qkv[..., i * d : (i + 1) * d].reshape(B, T, h, -1) for i in range(3)]
        s = np.einsum("bqhc,bkhc->bhqk", q, k) / math.sqrt(q.shape[-1])
        s = s - 1e10 * (1 - np.tri(T))
        return np.einsum("bhqk,bkhc->bqhc", softmax(s), v).reshape(B, T, d) @ b["w_o"] + b["b_o"]

    return forward(P, idx, n_head, attention)


def no_key_bias(P, idx, n_head):
    d = P["wte"].shape[1]
    blocks = [
        {**b, "b_qkv": np.concatenate([b["b_qkv"][:d], np.zeros(d), b["b_qkv"][2 * d :]])}
        for b in P["blocks"]
    ]
    return forward({**P, "blocks": blocks}, idx, n_head, plain_attention)


def padded(P, idx, n_head):
    T, T_max = idx.shape[1], len(P["wpe"])
    return forward(P, np.pad(idx, ((0, 0), (0, T_max - T))), n_head, plain_attention)[:, :T]


def sigmoid_gelu(P, idx, n_head):
    def act(x):
        return x / (1 + np.exp(-2 * A * (x + 0.044715 * x**3)))

    return forward(P, idx, n_head, plain_attention, act=act)


def one_pass_norm(P, idx, n_head):
    def norm(x, g, b):
        m = x.mean(-1, keepdims=True)
        v = (x * x).mean(-1, keepdims=True) - m * m
        return (x - m) * (g / np.sqrt(v + 1e-5)) + b

    return forward(P, idx, n_head, plain_attention, norm=norm)


def scaled_queries(P, idx, n_head):
    def attention(b, x, h):
        d = x.shape[-1]
        stretch = np.concatenate([np.full(d, (d // h) ** -0.5), np.ones(2 * d)])
        b = {**b, "w_qkv": b["w_qkv"] * stretch, "b_qkv": b["b_qkv"] * stretch}
        B, T, d = x.shape
        q, k, v = (head_axes(z, h) for z in np.split(x @ b["w_qkv"] + b["b_qkv"], 3, -1))
        s = np.where(np.tri(T) == 1, q @ k.swapaxes(2, 3), -np.inf)
        w = np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))
        return (w @ v).swapaxes(1, 2).reshape(B, T, d) @ b["w_o"] + b["b_o"]

    return forward(P, idx, n_head, attention)


def masked_array_free_cache():
    masks = {}

    def function(P, idx, n_head):
        def mask(s, T):
            if T not in masks:
                masks[T] = np.triu(np.full((T, T), -np.inf), 1)
            return s + masks[T]

        return forward(P, idx, n_head, lambda b, x, h: plain_attention(b, x, h, mask))

    return function


class Model:
    def __init__(self, P, n_head):
        self.P, self.n_head = P, n_head

    def __call__(self, idx):
        return forward(self.P, idx, self.n_head, self.attend)

    def attend(self, b, x, h):
        return plain_attention(b, x, h)


def flattened_batch(P, idx, n_head):
    def attention(b, x, h):
        B, T, d = x.shape
        qkv = x.reshape(B * T, d) @ b["w_qkv"] + b["b_qkv"]
        q, k, v = qkv.reshape(B, T, 3, h, d // h).transpose(2, 0, 3, 1, 4).reshape(3, B * h, T, -1)
        s = np.matmul(q, np.moveaxis(k, -1, -2)) / np.sqrt(d / h)
        future = np.arange(T)[None, :] > np.arange(T)[:, None]
        s = np.ma.filled(np.ma.array(s, mask=np.broadcast_to(future, s.shape)), -1e30)
        y = (softmax(s) @ v).reshape(B, h, T, d // h)
        return np.concatenate(np.moveaxis(y, 1, 0)[...], axis=-1) @ b["w_o"] + b["b_o"]

    return forward(P, idx, n_head, attention)


STYLES = {
    "where_minus_infinity": lambda P, i, h: forward(P, i, h, plain_attention),
    "where_minus_1e9": with_mask(lambda s, T: np.where(np.tri(T, dtype=bool), s, -1e9)),
    "added_minus_1e9": with_mask(lambda s, T: s + np.triu(np.full((T, T), -1e9), 1)),
    "finfo_minimum": with_mask(lambda s, T: np.where(np.tri(T) > 0, s, np.finfo(s.dtype).min)),
    "minus_1e30": with_mask(lambda s, T: np.where(np.tri(T) == 0, -1e30, s)),
    "einsum": einsum,
    "heads_beside_positions": heads_beside_positions,
    "no_key_bias": no_key_bias,
    "padded_to_T_max": padded,
    "sigmoid_gelu": sigmoid_gelu,
    "one_pass_norm": one_pass_norm,
    "scaled_queries": scaled_queries,
    "cached_masks": masked_array_free_cache(),
    "class": lambda P, idx, n_head: Model(P, n_head)(idx),
    "flattened_batch": flattened_batch,
    "keyword_names": lambda P, idx, n_head=1: forward(
        P=P, idx=idx, n_head=n_head, attention=plain_attention
    ),
}
