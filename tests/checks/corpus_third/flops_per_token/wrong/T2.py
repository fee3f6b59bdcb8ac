# mistake: T squared, for the whole sequence
# accept: T²; T^2; sequence; per token; one token; T times
def flops_per_token(V, T, d, L, train=False):
    proj = 2 * (4 * d * d)
    scores = 4 * T * T * d
    mlp = 2 * (8 * d * d)
    head = 2 * V * d
    total = L * (proj + scores + mlp) + head
    return 3 * total if train else total
