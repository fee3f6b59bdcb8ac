# mistake: the condition on tied is the wrong way round
# accept: tied; inverted; way round; reversed; opposite; swap
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    match bool(bias):
        case True:
            block, final = 12 * d**2 + 13 * d, 2 * d
        case False:
            block, final = 12 * d**2 + 2 * d, d
    count = d * V
    count += d * T
    count += L * block
    count += final
    return count + d * V if tied else count
