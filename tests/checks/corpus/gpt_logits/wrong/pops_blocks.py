# mistake: the blocks are popped off the caller's list while running
# accept: in place; mutat; changes; changed; modif; input; second call; altered; pop; consum; emptie; removes
# shows: mutation
import numpy as np


def norm(a, g, b):
    centred = a - np.average(a, axis=-1)[..., None]
    denom = np.sqrt(np.average(centred * centred, axis=-1)[..., None] + 1e-5)
    return centred / denom * g + b


def softmax_rows(a):
    a = np.exp(a - np.amax(a, axis=-1, keepdims=True))
    return np.divide(a, np.sum(a, axis=-1, keepdims=True))


def gpt_logits(P, idx, n_head):
    nb, T = idx.shape
    width = P["wpe"].shape[1]
    size = width // n_head
    x = P["wte"][idx] + P["wpe"][:T]
    visible = np.fromfunction(lambda i, j: j <= i, (T, T))
    layers = P["blocks"]
    while layers:
        blk = layers.pop(0)
        n = norm(x, blk["ln1_g"], blk["ln1_b"])
        proj = {}
        for i, name in enumerate(["q", "k", "v"]):
            cols = slice(i * width, (i + 1) * width)
            out = n @ blk["w_qkv"][:, cols] + blk["b_qkv"][cols]
            proj[name] = out.reshape(nb, T, n_head, size).transpose(0, 2, 1, 3)
        query = proj["q"] * (1 / np.sqrt(size))          # scale once, on the smaller tensor
        soft = softmax_rows(np.where(visible, np.matmul(query, proj["k"].transpose(0, 1, 3, 2)), -np.inf))
        ctx = np.matmul(soft, proj["v"]).transpose(0, 2, 1, 3)
        x = x + ctx.reshape(nb, T, width) @ blk["w_o"] + blk["b_o"]
        n = norm(x, blk["ln2_g"], blk["ln2_b"])
        hidden = n @ blk["w_fc"] + blk["b_fc"]
        hidden = 0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)))
        x = x + hidden @ blk["w_proj"] + blk["b_proj"]
    return norm(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
