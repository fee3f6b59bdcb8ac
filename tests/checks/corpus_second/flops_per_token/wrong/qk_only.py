# mistake: only QKᵀ, not AV
# accept: AV; A V; two products; 2TdL; 2Td; one of; second product; both products
def flops_per_token(V, T, d, L, train=False):
    weights = L * (3 * d * d + d * d + 4 * d * d + 4 * d * d) + V * d
    attention = L * (2 * T * d)
    forward = 2 * weights + attention
    return 3 * forward if train else forward
