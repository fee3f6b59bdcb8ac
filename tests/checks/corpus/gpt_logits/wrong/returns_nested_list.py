# mistake: returns nested lists, not an array
# accept: list; array; type
# shows: type
import numpy as np

def gpt_logits(P, idx, n_head, ln=lambda resid, g, b: g * (resid - resid.mean(-1, keepdims=True)) / np.sqrt(resid.var(-1, keepdims=True) + 1e-5) + b, ge=lambda hidden: hidden * .5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (hidden + .044715 * hidden**3))), sm=lambda att: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(att - att.max(-1, keepdims=True)))):
    resid = P['wte'][idx] + P['wpe'][:idx.shape[1]]
    for blk in P['blocks']:
        qs, k, Vh = (ln(resid, blk['ln1_g'], blk['ln1_b']) @ blk['w_qkv'] + blk['b_qkv']).reshape(*resid.shape[:2], 3, n_head, -1).transpose(2, 0, 3, 1, 4)
        resid = resid + (sm(np.where(np.tri(resid.shape[1]) > 0, qs @ k.swapaxes(2, 3) / qs.shape[-1]**.5, -np.inf)) @ Vh).swapaxes(1, 2).reshape(resid.shape) @ blk['w_o'] + blk['b_o']
        resid = resid + ge(ln(resid, blk['ln2_g'], blk['ln2_b']) @ blk['w_fc'] + blk['b_fc']) @ blk['w_proj'] + blk['b_proj']
    return (ln(resid, P['lnf_g'], P['lnf_b']) @ P['wte'].T).tolist()
