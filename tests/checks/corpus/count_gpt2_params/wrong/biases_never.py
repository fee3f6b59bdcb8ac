# mistake: the biases of the linear layers are never counted
# accept: linear & bias; biases & missing; biases & never; biases & not; biases & forgot; no bias; without bias; biases & left out; biases & omit; bias of every; 9d; biases of
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    n = V * d + T * d + L * (12 * d**2 + 4 * d) + 2 * d
    if not bias:
        n -= L * 2 * d + d
    if not tied:
        n += V * d
    return n
