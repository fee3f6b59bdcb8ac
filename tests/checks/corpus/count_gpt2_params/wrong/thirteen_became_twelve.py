# mistake: 12 d biases and gains per block instead of 13 d
# accept: 13d; 13 d; bias; 12d; d too few; one d; gain
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    match bool(bias):
        case True:
            block, final = 12 * d**2 + 12 * d, 2 * d
        case False:
            block, final = 12 * d**2 + 2 * d, d
    N = d * V
    N += d * T
    N += L * block
    N += final
    return N if tied else N + d * V
