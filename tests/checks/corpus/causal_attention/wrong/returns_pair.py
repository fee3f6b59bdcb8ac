# mistake: returns (output, weights)
# accept: tuple; pair; two values; array; weights; type
import numpy as np


class CausalAttention:
    def __init__(self, n_tok):
        self.bias = np.zeros((n_tok, n_tok))
        self.bias[np.triu_indices(n_tok, 1)] = -np.inf

    def weights(self, query, ks):
        logits = query.dot(ks.T) if query.ndim == 2 else query @ ks.swapaxes(-1, -2)
        logits = logits / np.sqrt(query.shape[-1]) + self.bias
        logits = np.exp(logits - logits.max(-1, keepdims=True))
        return logits / logits.sum(-1, keepdims=True)

    def __call__(self, query, ks, v):
        w = self.weights(query, ks)
        return w @ v, w


def causal_attention(Q, K, V):
    return CausalAttention(Q.shape[-2])(Q, K, V)
