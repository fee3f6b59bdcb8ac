# mistake: n_head is taken for the head size, so there are d_k heads of size h
# accept: head size; d_k; size of a head; n_head & size; number of heads; confus; mixed up; exchang; swap
import numpy as np
import numpy.ma as ma


def _normalise(resid, scale, shift):
    avg = resid.mean(axis=-1)[..., np.newaxis]
    std = np.sqrt(resid.var(axis=-1)[..., np.newaxis] + 1e-5)
    return (resid - avg) / std * scale + shift


def _attention_probs(scores):
    size = scores.shape[-1]
    hidden = np.broadcast_to(~np.tri(size, dtype=bool), scores.shape)
    m = ma.masked_array(scores, mask=hidden)
    m = ma.exp(m - m.max(axis=-1, keepdims=True))
    m = m / m.sum(axis=-1, keepdims=True)
    return m.filled(0.0)


def gpt_logits(P, idx, n_head):
    n_batch, n_tok = idx.shape
    width = P["wte"].shape[-1]
    resid = P["wte"][idx] + P["wpe"][:n_tok][np.newaxis, :, :]
    for blk in P["blocks"]:
        out = _normalise(resid, blk["ln1_g"], blk["ln1_b"]) @ blk["w_qkv"] + blk["b_qkv"]
        count = width // n_head
        out = out.reshape(n_batch, n_tok, 3 * count, n_head).transpose(0, 2, 1, 3)
        qs, ks, vs = out[:, :count], out[:, count:-count], out[:, -count:]
        lp = _attention_probs((qs @ ks.transpose(0, 1, 3, 2)) / n_head ** 0.5)
        o = (lp @ vs).transpose(0, 2, 1, 3).reshape(n_batch, n_tok, width)
        resid = resid + (o @ blk["w_o"] + blk["b_o"])
        z = _normalise(resid, blk["ln2_g"], blk["ln2_b"]) @ blk["w_fc"] + blk["b_fc"]
        z = 0.5 * z * (1 + np.tanh((2 / np.pi) ** 0.5 * (z + 0.044715 * np.power(z, 3))))
        resid = resid + (z @ blk["w_proj"] + blk["b_proj"])
    return _normalise(resid, P["lnf_g"], P["lnf_b"]) @ P["wte"].transpose()
