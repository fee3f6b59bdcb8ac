# mistake: training is 6 x the forward FLOPs (the 6 of 6N already holds the 2)
# accept: train; three times; backward; twice; factor 3
def flops_per_token(V, T, d, L, train=False):
    forward = 24 * L * d**2 + 2 * V * d + 4 * L * T * d
    return {False: 1, True: 6}[train] * forward
