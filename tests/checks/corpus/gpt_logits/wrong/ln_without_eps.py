# mistake: LayerNorm has no eps, a constant vector gives 0/0
# accept: no eps; without eps; no epsilon; without epsilon; missing eps; eps is missing; eps missing; 0/0; eps = 0; constant; eps 0; eps is 0
import numpy as np

# LayerNorm's gain and bias folded into the matrix that follows: (n*g + b) @ W = n @ (g[:,None]*W) + b @ W


def whiten(acts):
    c = acts - acts.mean(-1, keepdims=True)
    return c / np.sqrt((c * c).mean(-1, keepdims=True))


def fold(g, b, W, c):
    return g[:, None] * W, b @ W + c


def gpt_logits(P, idx, n_head):
    bs, T = idx.shape
    V, d = P["wte"].shape
    acts = P["wte"][idx] + P["wpe"][:T]
    for par in P["blocks"]:
        W, c = fold(par["ln1_g"], par["ln1_b"], par["w_qkv"], par["b_qkv"])
        q, k, vs = ((whiten(acts) @ W + c).reshape(bs, T, 3, n_head, d // n_head)).transpose(2, 0, 3, 1, 4)
        sc = (q / np.sqrt(d // n_head)) @ k.swapaxes(-1, -2)
        sc = np.where(np.triu(np.ones((T, T), bool), 1), -np.inf, sc)
        sc = np.exp(sc - sc.max(-1)[..., None])
        a = sc / sc.sum(-1)[..., None]
        acts = acts + (a @ vs).swapaxes(1, 2).reshape(bs, T, d) @ par["w_o"] + par["b_o"]
        W, c = fold(par["ln2_g"], par["ln2_b"], par["w_fc"], par["b_fc"])
        f = whiten(acts) @ W + c
        f = 0.5 * f * (1 + np.tanh(np.sqrt(2 / np.pi) * (f + 0.044715 * f**3)))
        acts = acts + f @ par["w_proj"] + par["b_proj"]
    return whiten(acts) @ (P["lnf_g"][:, None] * P["wte"].T) + P["lnf_b"] @ P["wte"].T
