# mistake: no LayerNorm before the head
# accept: final layernorm; last layernorm; ln_f; lnf; final norm; before the head
import numpy as np


def Λ(xs, γ, β, ε=1e-5):
    μ = xs.mean(axis=-1, keepdims=True)
    σ2 = ((xs - μ) ** 2).mean(axis=-1, keepdims=True)
    return γ * (xs - μ) / np.sqrt(σ2 + ε) + β


def Γ(xs):
    return xs / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (xs + 0.044715 * xs ** 3)))


def σ(z):
    ζ = np.exp(z - z.max(axis=-1, keepdims=True))
    return ζ / ζ.sum(axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    E, Π = P['wte'], P['wpe']
    nb, T = idx.shape
    dim = E.shape[1]
    δ = dim // n_head
    M = np.where(np.arange(T)[:, None] >= np.arange(T)[None, :], 0, -np.inf)
    χ = E[idx] + Π[:T]
    for θ in P['blocks']:
        Q, K, Ω = np.split(Λ(χ, θ['ln1_g'], θ['ln1_b']) @ θ['w_qkv'] + θ['b_qkv'], 3, -1)
        Q = Q.reshape(nb, T, n_head, δ).swapaxes(1, 2)
        K = K.reshape(nb, T, n_head, δ).swapaxes(1, 2)
        Ω = Ω.reshape(nb, T, n_head, δ).swapaxes(1, 2)
        α = σ(Q @ K.swapaxes(-1, -2) / np.sqrt(δ) + M)
        χ = χ + (α @ Ω).swapaxes(1, 2).reshape(nb, T, dim) @ θ['w_o'] + θ['b_o']
        χ = χ + Γ(Λ(χ, θ['ln2_g'], θ['ln2_b']) @ θ['w_fc'] + θ['b_fc']) @ θ['w_proj'] + θ['b_proj']
    return χ @ E.T
