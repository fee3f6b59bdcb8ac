# mistake: the whole input (tokens and positions) is multiplied by √d
# accept: √d; embedding & scal; embedding & multipl; scaled embedding; √n_embd; input & scal
import numpy as np


def Λ(x, γ, β, ε=1e-5):
    μ = x.mean(axis=-1, keepdims=True)
    σ2 = ((x - μ) ** 2).mean(axis=-1, keepdims=True)
    return γ * (x - μ) / np.sqrt(σ2 + ε) + β


def Γ(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def σ(z):
    ζ = np.exp(z - z.max(axis=-1, keepdims=True))
    return ζ / ζ.sum(axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    E, Π = P['wte'], P['wpe']
    B, T = idx.shape
    d = E.shape[1]
    δ = d // n_head
    M = np.where(np.arange(T)[:, None] >= np.arange(T)[None, :], 0, -np.inf)
    χ = (E[idx] + Π[:T]) * d ** 0.5
    for θ in P['blocks']:
        Q, K, Ω = np.split(Λ(χ, θ['ln1_g'], θ['ln1_b']) @ θ['w_qkv'] + θ['b_qkv'], 3, -1)
        Q = Q.reshape(B, T, n_head, δ).swapaxes(1, 2)
        K = K.reshape(B, T, n_head, δ).swapaxes(1, 2)
        Ω = Ω.reshape(B, T, n_head, δ).swapaxes(1, 2)
        α = σ(Q @ K.swapaxes(-1, -2) / np.sqrt(δ) + M)
        χ = χ + (α @ Ω).swapaxes(1, 2).reshape(B, T, d) @ θ['w_o'] + θ['b_o']
        χ = χ + Γ(Λ(χ, θ['ln2_g'], θ['ln2_b']) @ θ['w_fc'] + θ['b_fc']) @ θ['w_proj'] + θ['b_proj']
    return Λ(χ, P['lnf_g'], P['lnf_b']) @ E.T
