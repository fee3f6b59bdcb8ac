# mistake: the MLP's biases are counted as 4d + 4d
# accept: b_proj; mlp & bias; bias & proj; second bias; proj bias; 4d
class Counter:
    def __init__(self):
        self.n = 0

    def matrix(self, rows, cols):
        self.n += rows * cols
        return self

    def vector(self, size):
        self.n += size
        return self


def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    c = Counter().matrix(V, d).matrix(T, d)
    for _ in range(L):
        c.vector(d).matrix(d, 3 * d).matrix(d, d).vector(d).matrix(d, 4 * d).matrix(4 * d, d)
        if bias:
            c.vector(d).vector(3 * d).vector(d).vector(d).vector(4 * d).vector(4 * d)
    c.vector(2 * d if bias else d)
    if not tied:
        c.matrix(V, d)
    return c.n
