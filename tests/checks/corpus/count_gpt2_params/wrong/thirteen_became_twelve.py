# mistake: 12 d biases and gains per block instead of 13 d
# accept: 13d; 12d; one d; d too few; b_o; b_proj; gain; bias & block; vector & block; bias & missing; ln1; ln2
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    match bool(bias):
        case True:
            block, final = 12 * d**2 + 12 * d, 2 * d
        case False:
            block, final = 12 * d**2 + 2 * d, d
    count = d * V
    count += d * T
    count += L * block
    count += final
    return count if tied else count + d * V
