# mistake: b_fc is not added
# accept: b_fc; fc bias; first bias & mlp; bias & w_fc; hidden bias; bias of the first; mlp & bias
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
    batch, T = idx.shape
    d = E.shape[1]
    δ = d // n_head
    M = np.where(np.arange(T)[:, None] >= np.arange(T)[None, :], 0, -np.inf)
    χ = E[idx] + Π[:T]
    for θ in P['blocks']:
        Q, K, Ω = np.split(Λ(χ, θ['ln1_g'], θ['ln1_b']) @ θ['w_qkv'] + θ['b_qkv'], 3, -1)
        Q = Q.reshape(batch, T, n_head, δ).swapaxes(1, 2)
        K = K.reshape(batch, T, n_head, δ).swapaxes(1, 2)
        Ω = Ω.reshape(batch, T, n_head, δ).swapaxes(1, 2)
        α = σ(Q @ K.swapaxes(-1, -2) / np.sqrt(δ) + M)
        χ = χ + (α @ Ω).swapaxes(1, 2).reshape(batch, T, d) @ θ['w_o'] + θ['b_o']
        χ = χ + Γ(Λ(χ, θ['ln2_g'], θ['ln2_b']) @ θ['w_fc']) @ θ['w_proj'] + θ['b_proj']
    return Λ(χ, P['lnf_g'], P['lnf_b']) @ E.T
