# mistake: biases are drawn at random instead of 0
# accept: bias; b_qkv; zero
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
        if name.startswith("ln"):
            return np.zeros(shape)
        h_res = gen.standard_normal(shape) * 0.02
        return h_res / np.sqrt(2 * L) if name in {"w_o", "w_proj"} else h_res

    layers = [{n: tensor(n, tuple(size(w, d) for w in att.split())) for n, att in SHAPES.items()} for _ in range(L)]
    top = {"wte": (V, d), "wpe": (T, d), "lnf_g": (d,), "lnf_b": (d,)}
    return {**{n: tensor(n, att) for n, att in top.items()}, "blocks": layers}
