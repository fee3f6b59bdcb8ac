# mistake: prints the number and returns None
# accept: none; return; print
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    total = V * d + T * d
    total += L * (12 * d * d + (13 if bias else 2) * d)
    total += (1 + bool(bias)) * d
    if not tied:
        total += V * d
    print(f"parameters: {total}")
