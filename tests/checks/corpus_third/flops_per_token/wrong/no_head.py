# mistake: head forgotten
# accept: head
def flops_per_token(V, T, d, L, train=False):
    proj = 2 * (4 * d * d)
    scores = 2 * T * d + 2 * T * d
    mlp = 2 * (8 * d * d)
    head = 2 * V * d
    total = L * (proj + scores + mlp)
    return 3 * total if train else total
