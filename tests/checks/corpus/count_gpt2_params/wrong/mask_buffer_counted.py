# mistake: counts the T x T mask buffer of every block
# accept: mask; buffer; T²; T x T; T × T; T*T; t^2
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    b = int(bias)
    table = [
        ("token table", 1, lambda: V * d),
        ("positions", 1, lambda: T * d),
        ("layer norms", 2 * L + 1, lambda: d * (1 + b)),
        ("qkv", L, lambda: 3 * d * (d + b)),
        ("attention out", L, lambda: d * (d + b)),
        ("mlp up", L, lambda: 4 * d * (d + b)),
        ("mlp down", L, lambda: d * (4 * d + b)),
        ("attn.bias buffer", L, lambda: T * T),
        ("head", 0 if tied else 1, lambda: V * d),
    ]
    return sum(times * f() for _, times, f in table)
