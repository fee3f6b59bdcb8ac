# mistake: the final LayerNorm is missing
# accept: final layernorm; last layernorm; lnf; ln_f; final norm
from math import prod


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    shapes = {"wte": (V, d), "wpe": (T, d)}
    if not tied:
        shapes["lm_head"] = (d, V)
    for i in range(L):
        shapes |= {
            f"{i}.ln1_g": (d,), f"{i}.ln1_b": (d,), f"{i}.w_qkv": (d, 3 * d), f"{i}.b_qkv": (3 * d,),
            f"{i}.w_o": (d, d), f"{i}.b_o": (d,), f"{i}.ln2_g": (d,), f"{i}.ln2_b": (d,),
            f"{i}.w_fc": (d, 4 * d), f"{i}.b_fc": (4 * d,), f"{i}.w_proj": (4 * d, d), f"{i}.b_proj": (d,),
        }
    is_bias = lambda name: name.split(".")[-1].startswith("b_") or name.endswith("_b")
    return sum(prod(att) for name, att in shapes.items() if bias or not is_bias(name))
