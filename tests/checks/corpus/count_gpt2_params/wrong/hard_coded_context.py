# mistake: the context 1024 is hard-coded
# accept: 1024; hard; T & ignor; T & used; T; position; context
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    match bool(bias):
        case True:
            block, final = 12 * d**2 + 13 * d, 2 * d
        case False:
            block, final = 12 * d**2 + 2 * d, d
    N = d * V
    N += d * 1024
    N += L * block
    N += final
    return N if tied else N + d * V
