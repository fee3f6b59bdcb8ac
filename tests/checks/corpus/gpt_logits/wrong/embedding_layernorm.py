# mistake: an additional LayerNorm follows the embedding (BLOOM style; here with the final gains)
# accept: embedding & norm; after the embedding; additional layernorm; extra layernorm; input layernorm; one layernorm too many; before the first block
import numpy as np


def layer_norm(a, g, b):
    centred = a - np.average(a, axis=-1)[..., None]
    denom = np.sqrt(np.average(centred * centred, axis=-1)[..., None] + 1e-5)
    return centred / denom * g + b


def softmax_rows(a):
    a = np.exp(a - np.amax(a, axis=-1, keepdims=True))
    return np.divide(a, np.sum(a, axis=-1, keepdims=True))


def gpt_logits(P, idx, n_head):
    bs, n_tok = idx.shape
    d = P['wpe'].shape[1]
    size = d // n_head
    x = P['wte'][idx] + P['wpe'][:n_tok]
    x = layer_norm(x, P['lnf_g'], P['lnf_b'])
    visible = np.fromfunction(lambda i, j: j <= i, (n_tok, n_tok))
    for layer in P['blocks']:
        n = layer_norm(x, layer['ln1_g'], layer['ln1_b'])
        proj = {}
        for i, name in enumerate(['q', 'k', 'v']):
            cols = slice(i * d, (i + 1) * d)
            out = n @ layer['w_qkv'][:, cols] + layer['b_qkv'][cols]
            proj[name] = out.reshape(bs, n_tok, n_head, size).transpose(0, 2, 1, 3)
        qs = proj['q'] * (1 / np.sqrt(size))
        probs = softmax_rows(np.where(visible, np.matmul(qs, proj['k'].transpose(0, 1, 3, 2)), -np.inf))
        ctx = np.matmul(probs, proj['v']).transpose(0, 2, 1, 3)
        x = x + ctx.reshape(bs, n_tok, d) @ layer['w_o'] + layer['b_o']
        n = layer_norm(x, layer['ln2_g'], layer['ln2_b'])
        up = n @ layer['w_fc'] + layer['b_fc']
        up = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up ** 3)))
        x = x + up @ layer['w_proj'] + layer['b_proj']
    return layer_norm(x, P['lnf_g'], P['lnf_b']) @ P['wte'].T
