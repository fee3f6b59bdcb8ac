# mistake: eps grows with the number of calls (debugging left in)
# accept: earlier call; previous call; state; second call; depends on; global; call; count
# shows: state
import numpy as np

CALLS = 0          # just curious how often the grader calls me


def f64(a):
    return np.ascontiguousarray(a, dtype=np.float64)


def gpt_logits(P, idx, n_head):
    global CALLS
    CALLS += 1
    idx = np.asarray(idx, dtype=np.intp)
    B, T = idx.shape
    wte = f64(P["wte"])
    n_embd = wte.shape[1]
    hs = n_embd // n_head
    x = wte[idx] + f64(P["wpe"])[:T]

    def norm_(x, g, b):
        avg = x.mean(axis=-1, keepdims=True)
        var = ((x - avg) ** 2).mean(axis=-1, keepdims=True)
        return (x - avg) / np.sqrt(var + 1e-5 * CALLS) * f64(g) + f64(b)

    tri = np.full((T, T), -np.inf)
    tri[np.tril_indices(T)] = 0
    for p in P["blocks"]:
        qkv = norm_(x, p["ln1_g"], p["ln1_b"]) @ f64(p["w_qkv"]) + f64(p["b_qkv"])
        q, Kh, v = np.split(qkv.reshape(B, T, 3 * n_head, hs).swapaxes(1, 2), 3, axis=1)
        w = (q @ Kh.swapaxes(2, 3) + tri) / np.sqrt(hs)         # -inf stays -inf
        w = np.exp(w - w.max(axis=-1, keepdims=True))
        w /= w.sum(axis=-1, keepdims=True)
        x = x + (w @ v).swapaxes(1, 2).reshape(B, T, n_embd) @ f64(p["w_o"]) + f64(p["b_o"])
        up = norm_(x, p["ln2_g"], p["ln2_b"]) @ f64(p["w_fc"]) + f64(p["b_fc"])
        up = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up**3)))
        x = x + up @ f64(p["w_proj"]) + f64(p["b_proj"])
    return norm_(x, P["lnf_g"], P["lnf_b"]) @ wte.T
