# mistake: softmax operations (5 T per layer) are added
# accept: softmax; matmul; 5TL; extra; elementwise; other operations; not counted
def flops_per_token(V, T, d, L, train=False):
    block = sum(2 * i * o for i, o in [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)])
    attention = 4 * T * d + 5 * T
    forward = L * (block + attention) + 2 * d * V
    return forward if not train else forward + 2 * forward
