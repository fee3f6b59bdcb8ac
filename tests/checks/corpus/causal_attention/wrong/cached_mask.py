# mistake: the mask object of the first call is kept for later lengths
# accept: earlier call; previous call; cache; state; second call; depends on; first call; global; stale; other length; different length
# shows: state
import numpy as np


class CausalAttention:
    def __init__(self, T):
        self.bias = np.zeros((T, T))
        self.bias[np.triu_indices(T, 1)] = -np.inf

    def weights(self, q, k):
        logits = q.dot(k.T) if q.ndim == 2 else q @ k.swapaxes(-1, -2)
        logits = logits / np.sqrt(q.shape[-1]) + self.bias
        logits = np.exp(logits - logits.max(-1, keepdims=True))
        return logits / logits.sum(-1, keepdims=True)

    def __call__(self, q, k, v):
        return self.weights(q, k) @ v


layer = None


def causal_attention(Q, K, V):
    global layer
    layer = layer or CausalAttention(Q.shape[-2])
    return layer(Q, K, V)
