# mistake: the head is always counted, even when it is tied
# accept: tied; twice; tying; head$; untied; two times
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = V * d + T * d + L * (12 * d**2 + 13 * d) + 2 * d
    if not bias:
        # 3d + d + 4d + d linear biases and 2d LayerNorm biases per block, d in the final one
        n -= L * 11 * d + d
    n += V * d  # lm_head
    return n
