# mistake: the context 1024 is hard-coded
# accept: 1024; hard; T & ignor; T & used; position; context
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    match bool(bias):
        case True:
            layer, final = 12 * d**2 + 13 * d, 2 * d
        case False:
            layer, final = 12 * d**2 + 2 * d, d
    count = d * V
    count += d * 1024
    count += L * layer
    count += final
    return count if tied else count + d * V
