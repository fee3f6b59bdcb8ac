# mistake: the T × T mask of each block is counted, as the hub does
# accept: mask; T × T; T²; T^2; buffer; T*T; TT
def linear(n_in: int, n_out: int, bias: bool) -> int:
    return n_in * n_out + n_out * bias


def norm(width: int, bias: bool) -> int:
    return width + width * bias


def count_gpt2_params(V: int, T: int, d: int, L: int, tied: bool = True, bias: bool = True) -> int:
    embedding = (V + T) * d
    attention = linear(d, 3 * d, bias) + linear(d, d, bias)
    mlp = linear(d, 4 * d, bias) + linear(4 * d, d, bias)
    block = T * T + norm(d, bias) + attention + norm(d, bias) + mlp
    head = 0 if tied else V * d
    return embedding + L * block + norm(d, bias) + head
