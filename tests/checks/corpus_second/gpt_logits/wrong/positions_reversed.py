# mistake: positions run backwards, the last token gets row 0
# accept: reverse & position; backward & position; position & revers; position & backward; wpe & revers; position & order
import numpy as np

ln = lambda x, g, b: (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + 1e-5) ** .5 * g + b
sm = lambda z: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(z - z.max(-1, keepdims=True)))
gelu = lambda x: .5 * x * (1 + np.tanh((2 / np.pi) ** .5 * (x + .044715 * x ** 3)))


def gpt_logits(P, idx, n_head):
    (B, T), d = idx.shape, P["wte"].shape[1]
    x = P["wte"][idx] + P["wpe"][:T][::-1]
    causal = np.tri(T) > 0
    heads = lambda t: t.reshape(B, T, n_head, -1).transpose(0, 2, 1, 3)
    for l in P["blocks"]:
        q, k, v = map(heads, np.split(ln(x, l["ln1_g"], l["ln1_b"]) @ l["w_qkv"] + l["b_qkv"], 3, -1))
        att = sm(np.where(causal, q @ k.swapaxes(2, 3) * (d // n_head) ** -.5, -np.inf))
        x = x + (att @ v).transpose(0, 2, 1, 3).reshape(B, T, d) @ l["w_o"] + l["b_o"]
        x = x + gelu(ln(x, l["ln2_g"], l["ln2_b"]) @ l["w_fc"] + l["b_fc"]) @ l["w_proj"] + l["b_proj"]
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
