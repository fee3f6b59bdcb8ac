# mistake: the vocabulary size of the lesson's model (56) is hard-coded in the output shape
# accept: 56; hard; vocab; reshape
import numpy as np


class Conv1D:
    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias

    def __call__(self, acts):
        size_out = acts.shape[:-1] + (self.weight.shape[1],)
        return (acts.reshape(-1, acts.shape[-1]) @ self.weight + self.bias).reshape(size_out)


class GPT2Attention:
    def __init__(self, p, num_heads):
        self.c_attn = Conv1D(p["w_qkv"], p["b_qkv"])
        self.c_proj = Conv1D(p["w_o"], p["b_o"])
        self.num_heads = num_heads

    def _split_heads(self, t):
        return t.reshape(t.shape[:-1] + (self.num_heads, -1)).transpose(0, 2, 1, 3)

    def _merge_heads(self, t):
        t = t.transpose(0, 2, 1, 3)
        return t.reshape(t.shape[:2] + (-1,))

    def __call__(self, hidden_states):
        query, key, value = (self._split_heads(t) for t in np.split(self.c_attn(hidden_states), 3, axis=2))
        w = np.matmul(query, key.transpose(0, 1, 3, 2)) / value.shape[-1] ** 0.5
        n = w.shape[-1]
        causal = np.tril(np.ones((n, n), dtype=bool)).reshape(1, 1, n, n)
        w = np.where(causal, w, np.finfo(w.dtype).min)
        w = np.exp(w - w.max(axis=-1, keepdims=True))
        w = w / w.sum(axis=-1, keepdims=True)
        return self.c_proj(self._merge_heads(np.matmul(w, value)))


class GPT2MLP:
    def __init__(self, p):
        self.c_fc, self.c_proj = Conv1D(p["w_fc"], p["b_fc"]), Conv1D(p["w_proj"], p["b_proj"])

    def __call__(self, hidden_states):
        a = self.c_fc(hidden_states)
        a = 0.5 * a * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (a + 0.044715 * np.power(a, 3.0))))
        return self.c_proj(a)


def ln(acts, weight, bias):
    acts = acts - acts.mean(-1, keepdims=True)
    return acts / np.sqrt((acts**2).mean(-1, keepdims=True) + 1e-05) * weight + bias


def gpt_logits(P, idx, n_head):
    position_ids = np.arange(0, idx.shape[-1])[None]
    hidden_states = P["wte"][idx] + P["wpe"][position_ids]
    for p in P["blocks"]:
        residual = hidden_states
        attn_output = GPT2Attention(p, n_head)(ln(hidden_states, p["ln1_g"], p["ln1_b"]))
        hidden_states = attn_output + residual
        residual = hidden_states
        hidden_states = residual + GPT2MLP(p)(ln(hidden_states, p["ln2_g"], p["ln2_b"]))
    lm_logits = ln(hidden_states, P["lnf_g"], P["lnf_b"]) @ P["wte"].T
    return lm_logits.reshape(idx.shape[0], -1, 56)
