# mistake: the scores are divided by the root of the model width d, not of the head size d_k
# accept: √d; model width; full width; whole width; d_model; √n_embd
import numpy as np

EPSILON = 0.00001


def my_layer_norm(X, gamma, beta):
    # step 1: mean of each vector
    mean = np.mean(X, axis=2, keepdims=True)
    # step 2: variance of each vector
    variance = np.mean((X - mean) ** 2, axis=2, keepdims=True)
    # step 3: normalise
    X_hat = (X - mean) / np.sqrt(variance + EPSILON)
    # step 4: scale and shift
    result = gamma * X_hat + beta
    return result


def my_softmax(S):
    biggest = np.max(S, axis=3, keepdims=True)
    exponentials = np.exp(S - biggest)
    total = np.sum(exponentials, axis=3, keepdims=True)
    return exponentials / total


def gpt_logits(P, idx, n_head):
    batch_size = idx.shape[0]
    seq_len = idx.shape[1]
    d_model = P["wte"].shape[1]
    head_size = d_model // n_head

    # embeddings
    token_vectors = P["wte"][idx]
    position_vectors = P["wpe"][0:seq_len]
    X = token_vectors + position_vectors

    # the causal mask: 0 allowed, -1e9 forbidden
    mask = np.triu(np.ones((seq_len, seq_len)), k=1) * -1e9

    for block in P["blocks"]:
        # ----- attention -----
        normed = my_layer_norm(X, block["ln1_g"], block["ln1_b"])
        qkv = np.matmul(normed, block["w_qkv"]) + block["b_qkv"]
        Q = qkv[:, :, 0:d_model]
        K = qkv[:, :, d_model:2 * d_model]
        V = qkv[:, :, 2 * d_model:3 * d_model]
        Q = np.transpose(np.reshape(Q, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        K = np.transpose(np.reshape(K, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        V = np.transpose(np.reshape(V, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        scores = np.matmul(Q, np.transpose(K, (0, 1, 3, 2)))
        scores = scores / np.sqrt(d_model)
        scores = scores + mask
        weights = my_softmax(scores)
        heads = np.matmul(weights, V)
        heads = np.transpose(heads, (0, 2, 1, 3))
        concat = np.reshape(heads, (batch_size, seq_len, d_model))
        attention_output = np.matmul(concat, block["w_o"]) + block["b_o"]
        X = X + attention_output

        # ----- feed forward -----
        normed = my_layer_norm(X, block["ln2_g"], block["ln2_b"])
        hidden = np.matmul(normed, block["w_fc"]) + block["b_fc"]
        inner = np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)
        hidden = 0.5 * hidden * (1 + np.tanh(inner))
        X = X + np.matmul(hidden, block["w_proj"]) + block["b_proj"]

    X = my_layer_norm(X, P["lnf_g"], P["lnf_b"])
    logits = np.matmul(X, np.transpose(P["wte"]))
    return logits
