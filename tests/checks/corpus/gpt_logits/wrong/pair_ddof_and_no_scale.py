# mistake: two: sample variance in LayerNorm, and unscaled attention
# accept: ddof; d - 1; d − 1; n - 1; d-1; d−1; sample variance; population; unbiased; bessel; unscaled
# accept: scal; √d_k; not divided; unscaled
import numpy as np


def Λ(acts, γ, β, ε=1e-5):
    μ = acts.mean(axis=-1, keepdims=True)
    σ2 = acts.var(axis=-1, keepdims=True, ddof=1)
    return γ * (acts - μ) / np.sqrt(σ2 + ε) + β


def Γ(acts):
    return acts / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (acts + 0.044715 * acts ** 3)))


def σ(z):
    ζ = np.exp(z - z.max(axis=-1, keepdims=True))
    return ζ / ζ.sum(axis=-1, keepdims=True)


def gpt_logits(P, idx, n_head):
    E, Π = P['wte'], P['wpe']
    batch, n_tok = idx.shape
    d = E.shape[1]
    δ = d // n_head
    M = np.where(np.arange(n_tok)[:, None] >= np.arange(n_tok)[None, :], 0, -np.inf)
    χ = E[idx] + Π[:n_tok]
    for θ in P['blocks']:
        Q, K, Ω = np.split(Λ(χ, θ['ln1_g'], θ['ln1_b']) @ θ['w_qkv'] + θ['b_qkv'], 3, -1)
        Q = Q.reshape(batch, n_tok, n_head, δ).swapaxes(1, 2)
        K = K.reshape(batch, n_tok, n_head, δ).swapaxes(1, 2)
        Ω = Ω.reshape(batch, n_tok, n_head, δ).swapaxes(1, 2)
        α = σ(Q @ K.swapaxes(-1, -2) + M)
        χ = χ + (α @ Ω).swapaxes(1, 2).reshape(batch, n_tok, d) @ θ['w_o'] + θ['b_o']
        χ = χ + Γ(Λ(χ, θ['ln2_g'], θ['ln2_b']) @ θ['w_fc'] + θ['b_fc']) @ θ['w_proj'] + θ['b_proj']
    return Λ(χ, P['lnf_g'], P['lnf_b']) @ E.T
