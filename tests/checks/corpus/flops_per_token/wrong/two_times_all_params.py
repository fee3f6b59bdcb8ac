# mistake: 2 x (or 6 x) the exact parameter count plus attention: norms, biases and positions do not multiply
# accept: bias; norm; position; lookup; matmul; parameter; wpe
def params(V, T, d, L):
    return V * d + T * d + L * (12 * d * d + 13 * d) + 2 * d


def flops_per_token(V, T, d, L, train=False):
    passes = 3 if train else 1
    return passes * (2 * params(V, T, d, L) + 4 * T * d * L)
