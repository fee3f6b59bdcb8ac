# mistake: the condition on tied is the wrong way round
# accept: tied; inverted; way round; reversed; opposite; swap
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    match bool(bias):
        case True:
            block, final = 12 * d**2 + 13 * d, 2 * d
        case False:
            block, final = 12 * d**2 + 2 * d, d
    N = d * V
    N += d * T
    N += L * block
    N += final
    return N + d * V if tied else N
