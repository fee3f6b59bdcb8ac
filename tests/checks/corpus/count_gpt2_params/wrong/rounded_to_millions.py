# mistake: the count is rounded to millions
# accept: round; million; exact; approximat
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = V * d + T * d + L * (12 * d**2 + 13 * d) + 2 * d
    if not bias:
        n -= L * 11 * d + d
    if not tied:
        n += V * d
    return round(n, -6)
