# mistake: the function has no return statement
# accept: none; return
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
    bs, n_tok = idx.shape
    width = E.shape[1]
    δ = width // n_head
    M = np.where(np.arange(n_tok)[:, None] >= np.arange(n_tok)[None, :], 0, -np.inf)
    χ = E[idx] + Π[:n_tok]
    for θ in P['blocks']:
        Q, K, Ω = np.split(Λ(χ, θ['ln1_g'], θ['ln1_b']) @ θ['w_qkv'] + θ['b_qkv'], 3, -1)
        Q = Q.reshape(bs, n_tok, n_head, δ).swapaxes(1, 2)
        K = K.reshape(bs, n_tok, n_head, δ).swapaxes(1, 2)
        Ω = Ω.reshape(bs, n_tok, n_head, δ).swapaxes(1, 2)
        α = σ(Q @ K.swapaxes(-1, -2) / np.sqrt(δ) + M)
        χ = χ + (α @ Ω).swapaxes(1, 2).reshape(bs, n_tok, width) @ θ['w_o'] + θ['b_o']
        χ = χ + Γ(Λ(χ, θ['ln2_g'], θ['ln2_b']) @ θ['w_fc'] + θ['b_fc']) @ θ['w_proj'] + θ['b_proj']
    logits = Λ(χ, P['lnf_g'], P['lnf_b']) @ E.T
