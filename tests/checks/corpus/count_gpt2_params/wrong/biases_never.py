# mistake: the biases of the linear layers are never counted
# accept: bias
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = V * d + T * d + L * (12 * d**2 + 4 * d) + 2 * d
    if not bias:
        # 3d + d + 4d + d linear biases and 2d LayerNorm biases per block, d in the final one
        n -= L * 2 * d + d
    if not tied:
        n += V * d
    return n
