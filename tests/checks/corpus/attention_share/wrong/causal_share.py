# mistake: attention is halved for the causal mask
# accept: causal; half; halved; full; triangle
def flops_per_token(V, T, d, L):
    return 24 * L * d * d + 2 * V * d + 4 * T * d * L // 2


def attention_share(V, T, d, L):
    with_attention = flops_per_token(V, T, d, L)
    without = flops_per_token(V, 0, d, L)
    return 1 - without / with_attention
