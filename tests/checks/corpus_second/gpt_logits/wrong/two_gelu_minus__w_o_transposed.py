# mistake: a minus in the cubic term; and w_o is transposed, as in PyTorch's storage
# accept: minus & cubic; wrong sign; minus & plus; subtract; sign of
# accept: w_o & transpos; output projection & transpos; w_oᵀ; transposed
import numpy as np

EPSILON = 1e-5


def normaliser(x, gain, biais):
    moyenne = np.mean(x, axis=-1, keepdims=True)
    ecart = x - moyenne
    variance = np.mean(ecart * ecart, axis=-1, keepdims=True)
    return gain * ecart / np.sqrt(variance + EPSILON) + biais


def activation(u):
    return u * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (u - 0.044715 * u ** 3)))


def tetes(x, h):
    lot, longueur, largeur = x.shape
    x = x.reshape(lot, longueur, h, largeur // h)
    return np.transpose(x, (0, 2, 1, 3))


def attention(x, couche, h):
    lot, longueur, largeur = x.shape
    tout = np.dot(x, couche["w_qkv"]) + couche["b_qkv"]
    requetes = tetes(tout[..., 0:largeur], h)
    cles = tetes(tout[..., largeur:2 * largeur], h)
    valeurs = tetes(tout[..., 2 * largeur:3 * largeur], h)
    racine = np.sqrt(largeur / h)
    notes = np.matmul(requetes, np.transpose(cles, (0, 1, 3, 2))) / racine
    passe = np.tril(np.ones((longueur, longueur)))
    notes = np.where(passe == 1, notes, -np.inf)
    notes = notes - np.max(notes, axis=-1, keepdims=True)
    poids = np.exp(notes)
    poids = poids / np.sum(poids, axis=-1, keepdims=True)
    melange = np.matmul(poids, valeurs)
    melange = np.transpose(melange, (0, 2, 1, 3)).reshape(lot, longueur, largeur)
    return np.dot(melange, couche["w_o"].T) + couche["b_o"]


def perceptron(x, couche):
    cache = activation(np.dot(x, couche["w_fc"]) + couche["b_fc"])
    return np.dot(cache, couche["w_proj"]) + couche["b_proj"]


def gpt_logits(P, idx, n_head):
    flux = P["wte"][idx] + P["wpe"][0:idx.shape[1]]
    for couche in P["blocks"]:
        flux = flux + attention(normaliser(flux, couche["ln1_g"], couche["ln1_b"]), couche, n_head)
        flux = flux + perceptron(normaliser(flux, couche["ln2_g"], couche["ln2_b"]), couche)
    flux = normaliser(flux, P["lnf_g"], P["lnf_b"])
    return np.dot(flux, P["wte"].T)
