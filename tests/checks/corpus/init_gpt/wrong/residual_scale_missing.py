# mistake: w_o and w_proj are not scaled down by 1/√(2L)
# accept: 2L; residual; √(2L); w_o; w_proj
import numpy as np

SHAPES = {
    "ln1_g": "d", "ln1_b": "d", "w_qkv": "d 3d", "b_qkv": "3d", "w_o": "d d", "b_o": "d",
    "ln2_g": "d", "ln2_b": "d", "w_fc": "d 4d", "b_fc": "4d", "w_proj": "4d d", "b_proj": "d",
}


def size(word, d):
    return int(word[:-1] or 1) * d


def init_gpt(V, T, d, L, seed):
    gen = np.random.Generator(np.random.PCG64(seed))

    def tensor(name, shape):
        if name[-2:] == "_g":
            return np.ones(shape)
        if len(shape) == 1:
            return np.zeros(shape)
        acts = gen.standard_normal(shape) * 0.02
        return acts

    layers = [{n: tensor(n, tuple(size(w, d) for w in s.split())) for n, s in SHAPES.items()} for _ in range(L)]
    top = {"wte": (V, d), "wpe": (T, d), "lnf_g": (d,), "lnf_b": (d,)}
    return {**{n: tensor(n, s) for n, s in top.items()}, "blocks": layers}
