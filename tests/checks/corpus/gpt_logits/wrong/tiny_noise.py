# mistake: random noise of 1e-5 is added to the embeddings, so no two calls agree
# accept: random; noise; same result; two calls; second call; deterministic; not reproducib; every call
# shows: state
import numpy as np



def gpt_logits(P, idx, n_head):
    bs, seq = idx.shape
    writes = [P["wte"][idx], np.broadcast_to(P["wpe"][:seq], (bs, seq, P["wpe"].shape[1]))]
    emb = writes[0].shape[-1]
    writes.append(np.random.normal(0, 1e-5, (bs, seq, emb)))

    def stream():
        return np.sum(writes, axis=0)

    def layer_norm(g, b):
        x = stream()
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-5) * g + b

    for p in P["blocks"]:
        z = layer_norm(p["ln1_g"], p["ln1_b"]) @ p["w_qkv"] + p["b_qkv"]
        q, ks, vs = z.reshape(bs, seq, 3, n_head, emb // n_head).transpose(2, 0, 3, 1, 4)
        s = q @ ks.transpose(0, 1, 3, 2) / np.sqrt(emb // n_head)
        with np.errstate(divide="ignore"):
            s = s + np.log(np.tri(seq))
        s = np.exp(s - s.max(-1, keepdims=True))
        s = s / s.sum(-1, keepdims=True)
        writes.append((s @ vs).transpose(0, 2, 1, 3).reshape(bs, seq, emb) @ p["w_o"] + p["b_o"])
        u = layer_norm(p["ln2_g"], p["ln2_b"]) @ p["w_fc"] + p["b_fc"]
        writes.append((0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3)))) @ p["w_proj"] + p["b_proj"])
    return layer_norm(P["lnf_g"], P["lnf_b"]) @ P["wte"].T
