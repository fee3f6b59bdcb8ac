# mistake: the MLP is counted with three matrices (LLaMA's gated MLP), 12 d²
# accept: mlp; gated; three matrices; 16d²; swiglu; feed forward; 4d²; 8d²; matri
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    return ((2 - tied) * V + T) * d + L * (16 * d * d + (13 if bias else 2) * d) + (1 + bias) * d
