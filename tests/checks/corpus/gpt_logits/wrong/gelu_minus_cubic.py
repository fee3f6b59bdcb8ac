# mistake: the cubic term of the GELU has a minus sign
# accept: sign; minus; 0.044715; cubic; subtract
import numpy as np

# residual stream = embedding + sum of everything written so far


def gpt_logits(P, idx, n_head):
    bs, n_tok = idx.shape
    writes = [P['wte'][idx], np.broadcast_to(P['wpe'][:n_tok], (bs, n_tok, P['wpe'].shape[1]))]
    width = writes[0].shape[-1]

    def stream():
        return np.sum(writes, axis=0)

    def LN(g, b):
        x = stream()
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-5) * g + b

    for params_l in P['blocks']:
        z = LN(params_l['ln1_g'], params_l['ln1_b']) @ params_l['w_qkv'] + params_l['b_qkv']
        query, key, Vh = z.reshape(bs, n_tok, 3, n_head, width // n_head).transpose(2, 0, 3, 1, 4)
        sim = query @ key.transpose(0, 1, 3, 2) / np.sqrt(width // n_head)
        with np.errstate(divide='ignore'):
            sim = sim + np.log(np.tri(n_tok))           # log 1 = 0, log 0 = -inf
        sim = np.exp(sim - sim.max(-1, keepdims=True))
        sim = sim / sim.sum(-1, keepdims=True)
        writes.append((sim @ Vh).transpose(0, 2, 1, 3).reshape(bs, n_tok, width) @ params_l['w_o'] + params_l['b_o'])
        hidden = LN(params_l['ln2_g'], params_l['ln2_b']) @ params_l['w_fc'] + params_l['b_fc']
        writes.append((0.5 * hidden * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden - 0.044715 * hidden**3)))) @ params_l['w_proj'] + params_l['b_proj'])
    return LN(P['lnf_g'], P['lnf_b']) @ P['wte'].T
