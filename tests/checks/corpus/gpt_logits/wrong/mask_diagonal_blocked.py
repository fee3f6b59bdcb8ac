# mistake: triu with k=0 blocks the diagonal too, a token cannot attend to itself
# accept: itself; strict; diagonal; own position; off by one; one too far
import numpy as np

EPSILON = 0.00001


def layer_norm(xs, gamma, beta):
    mean = np.mean(xs, axis=2, keepdims=True)
    variance = np.mean((xs - mean) ** 2, axis=2, keepdims=True)
    X_hat = (xs - mean) / np.sqrt(variance + EPSILON)
    result = gamma * X_hat + beta
    return result


def sm(S):
    biggest = np.max(S, axis=3, keepdims=True)
    exponentials = np.exp(S - biggest)
    n_params = np.sum(exponentials, axis=3, keepdims=True)
    return exponentials / n_params


def gpt_logits(P, idx, n_head):
    batch_size = idx.shape[0]
    seq_len = idx.shape[1]
    d_model = P["wte"].shape[1]
    head_size = d_model // n_head

    token_vectors = P["wte"][idx]
    position_vectors = P["wpe"][0:seq_len]
    xs = token_vectors + position_vectors

    m_causal = np.triu(np.ones((seq_len, seq_len)), k=0) * -1e9

    for block in P["blocks"]:
        pre_norm = layer_norm(xs, block["ln1_g"], block["ln1_b"])
        qkv = np.matmul(pre_norm, block["w_qkv"]) + block["b_qkv"]
        Q = qkv[:, :, 0:d_model]
        K = qkv[:, :, d_model:2 * d_model]
        V = qkv[:, :, 2 * d_model:3 * d_model]
        Q = np.transpose(np.reshape(Q, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        K = np.transpose(np.reshape(K, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        V = np.transpose(np.reshape(V, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        scores = np.matmul(Q, np.transpose(K, (0, 1, 3, 2)))
        scores = scores / np.sqrt(head_size)
        scores = scores + m_causal
        weights = sm(scores)
        heads = np.matmul(weights, V)
        heads = np.transpose(heads, (0, 2, 1, 3))
        concat = np.reshape(heads, (batch_size, seq_len, d_model))
        attention_output = np.matmul(concat, block["w_o"]) + block["b_o"]
        xs = xs + attention_output

        pre_norm = layer_norm(xs, block["ln2_g"], block["ln2_b"])
        hidden = np.matmul(pre_norm, block["w_fc"]) + block["b_fc"]
        inner = np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)
        hidden = 0.5 * hidden * (1 + np.tanh(inner))
        xs = xs + np.matmul(hidden, block["w_proj"]) + block["b_proj"]

    xs = layer_norm(xs, P["lnf_g"], P["lnf_b"])
    logits = np.matmul(xs, np.transpose(P["wte"]))
    return logits
