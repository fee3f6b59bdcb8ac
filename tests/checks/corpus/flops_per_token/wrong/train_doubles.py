# mistake: training is taken as twice the forward pass
# accept: train & 3; three times; backward; train & twice; factor 3; factor of 3; 3 ×; train
def flops_per_token(V, T, d, L, train=False):
    forward = 2 * (12 * L * d * d + V * d) + 4 * T * d * L
    return 2 * forward if train else forward
