# mistake: plain tanh as the activation
# accept: tanh & plain; tanh & instead; tanh alone; only tanh; tanh(x); tanh activation; bare tanh
import numpy as np



def whiten(stream):
    c = stream - stream.mean(-1, keepdims=True)
    return c / np.sqrt((c * c).mean(-1, keepdims=True) + 1e-5)


def fold(g, b, W, c):
    return g[:, None] * W, b @ W + c


def gpt_logits(P, idx, n_head):
    batch, seq = idx.shape
    V, n_embd = P["wte"].shape
    stream = P["wte"][idx] + P["wpe"][:seq]
    for blk in P["blocks"]:
        W, c = fold(blk["ln1_g"], blk["ln1_b"], blk["w_qkv"], blk["b_qkv"])
        qs, ks, value = ((whiten(stream) @ W + c).reshape(batch, seq, 3, n_head, n_embd // n_head)).transpose(2, 0, 3, 1, 4)
        logit_s = (qs / np.sqrt(n_embd // n_head)) @ ks.swapaxes(-1, -2)
        logit_s = np.where(np.triu(np.ones((seq, seq), bool), 1), -np.inf, logit_s)
        logit_s = np.exp(logit_s - logit_s.max(-1)[..., None])
        a = logit_s / logit_s.sum(-1)[..., None]
        stream = stream + (a @ value).swapaxes(1, 2).reshape(batch, seq, n_embd) @ blk["w_o"] + blk["b_o"]
        W, c = fold(blk["ln2_g"], blk["ln2_b"], blk["w_fc"], blk["b_fc"])
        f = whiten(stream) @ W + c
        f = np.tanh(f)
        stream = stream + f @ blk["w_proj"] + blk["b_proj"]
    return whiten(stream) @ (P["lnf_g"][:, None] * P["wte"].T) + P["lnf_b"] @ P["wte"].T
