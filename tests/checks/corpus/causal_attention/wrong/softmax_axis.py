# mistake: softmax over the queries
# accept: quer; axis; columns
import numpy as np


class CausalAttention:
    def __init__(self, T):
        self.bias = np.zeros((T, T))
        self.bias[np.triu_indices(T, 1)] = -np.inf

    def weights(self, query, key):
        logits = query.dot(key.T) if query.ndim == 2 else query @ key.swapaxes(-1, -2)
        logits = logits / np.sqrt(query.shape[-1]) + self.bias
        logits = np.exp(logits - logits.max(-2, keepdims=True))
        return logits / logits.sum(-2, keepdims=True)

    def __call__(self, query, key, Vh):
        return self.weights(query, key) @ Vh


def causal_attention(Q, K, V):
    return CausalAttention(Q.shape[-2])(Q, K, V)
