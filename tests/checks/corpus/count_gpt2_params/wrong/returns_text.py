# mistake: returns a formatted string
# accept: string; text; str; type; integer
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
        ("head", 0 if tied else 1, lambda: V * d),
    ]
    return f"{sum(times * f() for _, times, f in table):,}"
