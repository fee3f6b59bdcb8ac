# mistake: subtracts the position table, as nanoGPT's get_num_params does by default
# accept: position; wpe; t*d; T d; Td; non embedding
class Linear:
    def __init__(self, i, o, bias=True):
        self.n = i * o + o * bool(bias)


class LayerNorm:
    def __init__(self, d, bias=True):
        self.n = d + d * bool(bias)


class Embedding:
    def __init__(self, rows, d):
        self.n = rows * d


class Block:
    def __init__(self, d, bias):
        self.parts = [LayerNorm(d, bias), Linear(d, 3 * d, bias), Linear(d, d, bias),
                      LayerNorm(d, bias), Linear(d, 4 * d, bias), Linear(4 * d, d, bias)]

    @property
    def n(self):
        return sum(w.n for w in self.parts)


class GPT2:
    def __init__(self, V, T, d, L, tied, bias):
        self.parts = [Embedding(V, d), Embedding(T, d), *(Block(d, bias) for _ in range(L)), LayerNorm(d, bias)]
        if not tied:
            self.parts.append(Linear(d, V, bias=False))

    def numel(self):
        return sum(w.n for w in self.parts)


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    model = GPT2(V, T, d, L, tied, bias)
    return model.numel() - model.parts[1].n
