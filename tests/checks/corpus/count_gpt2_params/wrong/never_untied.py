# mistake: the argument tied is ignored, an untied head is never added
# accept: untied; tied; head$; ignored
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    return (V + T) * d + L * (12 * d * d + (13 if bias else 2) * d) + (1 + bias) * d
