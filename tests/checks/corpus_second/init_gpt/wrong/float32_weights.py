# mistake: float32
# accept: are float32; in float32; float32 instead; drawn as float32; not float64; single precision
import numpy as np

SHAPES = {
    "ln1_g": (1,), "ln1_b": (1,), "w_qkv": (1, 3), "b_qkv": (3,), "w_o": (1, 1), "b_o": (1,),
    "ln2_g": (1,), "ln2_b": (1,), "w_fc": (1, 4), "b_fc": (4,), "w_proj": (4, 1), "b_proj": (1,),
}


def init_gpt(V, T, d, L, seed):
    gen = np.random.RandomState(seed)

    def make(name, shape):
        if name.endswith("_g"):
            return np.ones(shape)
        if len(shape) == 1:
            return np.zeros(shape)
        w = (gen.randn(*shape) * 0.02).astype(np.float32)
        if name in ("w_o", "w_proj"):
            w /= (2 * L) ** 0.5
        return w

    P = {n: make(n, s) for n, s in [("wte", (V, d)), ("wpe", (T, d)), ("lnf_g", (d,)), ("lnf_b", (d,))]}
    P["blocks"] = [{n: make(n, tuple(k * d for k in s)) for n, s in SHAPES.items()} for _ in range(L)]
    return P
