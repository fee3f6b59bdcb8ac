# mistake: one maximum of the whole array is subtracted, so other rows underflow
# accept: one maximum; each row; own row; each row's own; same maximum; single maximum; whole array; global maximum
import numpy as np


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    exp_x = np.exp(x - np.max(x))
    return exp_x / np.sum(exp_x, axis=-1, keepdims=True)


def layer_norm(x, g, b, eps=1e-5):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(variance + eps) + b


def linear(x, w, b):
    return x @ w + b


def ffn(x, block):
    return linear(gelu(linear(x, block["w_fc"], block["b_fc"])), block["w_proj"], block["b_proj"])


def attention(q, k, v, mask):
    return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + mask) @ v


def to_heads(x, n_head):
    B, T, d = x.shape
    return np.moveaxis(x.reshape(B, T, n_head, d // n_head), 2, 1)


def from_heads(x):
    B, h, T, dk = x.shape
    return np.moveaxis(x, 1, 2).reshape(B, T, h * dk)


def mha(x, block, n_head):
    x = linear(x, block["w_qkv"], block["b_qkv"])
    q, k, v = np.split(x, 3, axis=-1)
    T = x.shape[1]
    causal_mask = np.where(np.tri(T, dtype=bool), 0.0, -np.inf)
    out = attention(to_heads(q, n_head), to_heads(k, n_head), to_heads(v, n_head), causal_mask)
    return linear(from_heads(out), block["w_o"], block["b_o"])


def transformer_block(x, block, n_head):
    x = x + mha(layer_norm(x, block["ln1_g"], block["ln1_b"]), block, n_head)
    x = x + ffn(layer_norm(x, block["ln2_g"], block["ln2_b"]), block)
    return x


def gpt_logits(P, idx, n_head):
    x = P["wte"][idx] + P["wpe"][range(idx.shape[1])]
    for block in P["blocks"]:
        x = transformer_block(x, block, n_head)
    return layer_norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
