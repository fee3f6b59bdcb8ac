# mistake: a LayerNorm is counted with its gain only, its bias is forgotten
# accept: layernorm & bias; layernorm's bias; norm's bias; gain & bias; only the gain; gain only; beta; norm & shift; bias of the layernorm; layernorm biases
def layer_params(d, bias):
    attn = 4 * d * d + (4 * d if bias else 0)
    mlp = 8 * d * d + (5 * d if bias else 0)
    return attn + mlp + 2 * d


def blocks(L, d, bias):
    return 0 if L == 0 else layer_params(d, bias) + blocks(L - 1, d, bias)


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    ends = (V + T) * d if tied else (2 * V + T) * d
    return ends + blocks(L, d, bias) + d
