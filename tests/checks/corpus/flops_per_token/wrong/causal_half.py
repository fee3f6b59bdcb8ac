# mistake: attention is halved for the causal mask, but the full T x T is asked for
# accept: causal; half; halved; full; triangle
def matmul(a, b, c):
    """FLOPs of (a, b) @ (b, c)"""
    return 2 * a * b * c


def flops_per_token(V, T, d, L, train=False):
    one_layer = sum([
        matmul(T, d, 3 * d),
        (matmul(T, d, T) + matmul(T, T, d)) // 2,
        matmul(T, d, d),
        matmul(T, d, 4 * d),
        matmul(T, 4 * d, d),
    ])
    sequence = L * one_layer + matmul(T, d, V)
    per_token = sequence // T
    if train:
        per_token += 2 * per_token
    return per_token
