# mistake: the heads are joined by a reshape without moving the axes back; and the scores are divided by the root of T
# accept: merg & transpos; join & transpos; back & transpos; without transpos; before reshape; merg & reshape; join & reshape; heads & reshape; transpos & first; axes back
# accept: sqrt(T); √T; length; number of positions; sequence
import numpy as np

ln = lambda x, g, b: (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + 1e-5) ** .5 * g + b
sm = lambda z: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(z - z.max(-1, keepdims=True)))
gelu = lambda x: .5 * x * (1 + np.tanh((2 / np.pi) ** .5 * (x + .044715 * x ** 3)))


def gpt_logits(P, idx, n_head):
    (B, T), d = idx.shape, P["wte"].shape[1]
    x = P["wte"][idx] + P["wpe"][:T]
    causal = np.tri(T) > 0
    heads = lambda t: t.reshape(B, T, n_head, -1).transpose(0, 2, 1, 3)
    for l in P["blocks"]:
        q, k, v = map(heads, np.split(ln(x, l["ln1_g"], l["ln1_b"]) @ l["w_qkv"] + l["b_qkv"], 3, -1))
        att = sm(np.where(causal, q @ k.swapaxes(2, 3) * T ** -.5, -np.inf))
        x = x + (att @ v).reshape(B, T, d) @ l["w_o"] + l["b_o"]
        x = x + gelu(ln(x, l["ln2_g"], l["ln2_b"]) @ l["w_fc"] + l["b_fc"]) @ l["w_proj"] + l["b_proj"]
    return ln(x, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
