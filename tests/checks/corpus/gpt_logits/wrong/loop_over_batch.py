# mistake: right values, but each sequence of the batch is run by itself in a comprehension
# accept: loop; vectoris; by itself; one by one; one at a time
# shows: loop
import numpy as np


def normed(xs, g, b):
    return g * (xs - xs.mean(-1, keepdims=True)) / np.sqrt(xs.var(-1, keepdims=True, ddof=0) + 1e-5) + b


def self_attention(xs, blk, heads):
    *lead, n_tok, d = xs.shape
    q, k, vs = np.split(xs @ blk["w_qkv"] + blk["b_qkv"], 3, axis=-1)
    cut = lambda t: np.swapaxes(t.reshape(*lead, n_tok, heads, d // heads), -2, -3)
    scores = cut(q) @ np.swapaxes(cut(k), -1, -2) / np.sqrt(d // heads)
    scores = np.where(np.tril(np.full((n_tok, n_tok), True)), scores, -np.inf)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    scores = scores / scores.sum(-1, keepdims=True)
    return np.swapaxes(scores @ cut(vs), -2, -3).reshape(*lead, n_tok, d) @ blk["w_o"] + blk["b_o"]


def feed_forward(xs, blk):
    pre = xs @ blk["w_fc"] + blk["b_fc"]
    return (0.5 * pre * (1 + np.tanh(np.sqrt(2 / np.pi) * (pre + 0.044715 * pre**3)))) @ blk["w_proj"] + blk["b_proj"]


def stack(xs, layers, heads):
    if not layers:
        return xs
    blk, rest = layers[0], layers[1:]
    xs = xs + self_attention(normed(xs, blk["ln1_g"], blk["ln1_b"]), blk, heads)
    xs = xs + feed_forward(normed(xs, blk["ln2_g"], blk["ln2_b"]), blk)
    return stack(xs, rest, heads)


def gpt_logits(P, idx, n_head):
    return np.stack([one_sequence(P, row, n_head) for row in idx])


def one_sequence(P, ids, n_head):
    xs = P["wte"][ids] + P["wpe"][: len(ids)]
    xs = stack(xs, list(P["blocks"]), n_head)
    return normed(xs, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
