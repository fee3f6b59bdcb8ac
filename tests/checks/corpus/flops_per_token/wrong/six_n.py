# mistake: the rule 6N (or 2N) without the attention term
# accept: attention; T dependent; 4TdL; 4tdl; context
def flops_per_token(V, T, d, L, train=False):
    n = 12 * L * d**2 + V * d
    return (6 if train else 2) * n
