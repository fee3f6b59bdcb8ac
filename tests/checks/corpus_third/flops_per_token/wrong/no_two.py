# mistake: one FLOP for a multiply-add
# accept: multiply-add; 2 flops; factor 2; two flops; half; multiply
def flops_per_token(V, T, d, L, train=False):
    proj = (4 * d * d)
    scores = 2 * T * d
    mlp = (8 * d * d)
    head = V * d
    total = L * (proj + scores + mlp) + head
    return 3 * total if train else total
