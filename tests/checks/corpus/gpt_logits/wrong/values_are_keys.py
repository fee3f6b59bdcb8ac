# mistake: copy-paste slip: V is sliced like K, the values are the keys
# accept: value; keys; V & K; slice; third part; last third; same slice
import numpy as np

EPSILON = 0.00001


def my_layer_norm(X, gamma, beta):
    # step 1: mean of each vector
    avg = np.mean(X, axis=2, keepdims=True)
    # step 2: variance of each vector
    variance = np.mean((X - avg) ** 2, axis=2, keepdims=True)
    # step 3: normalise
    X_hat = (X - avg) / np.sqrt(variance + EPSILON)
    # step 4: scale and shift
    result = gamma * X_hat + beta
    return result


def my_softmax(sel):
    biggest = np.max(sel, axis=3, keepdims=True)
    exponentials = np.exp(sel - biggest)
    n_params = np.sum(exponentials, axis=3, keepdims=True)
    return exponentials / n_params


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
    tri = np.triu(np.ones((seq_len, seq_len)), k=1) * -1e9

    for layer in P["blocks"]:
        # ----- attention -----
        pre_norm = my_layer_norm(X, layer["ln1_g"], layer["ln1_b"])
        packed = np.matmul(pre_norm, layer["w_qkv"]) + layer["b_qkv"]
        Q = packed[:, :, 0:d_model]
        K = packed[:, :, d_model:2 * d_model]
        V = packed[:, :, d_model:2 * d_model]
        Q = np.transpose(np.reshape(Q, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        K = np.transpose(np.reshape(K, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        V = np.transpose(np.reshape(V, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        scores = np.matmul(Q, np.transpose(K, (0, 1, 3, 2)))
        scores = scores / np.sqrt(head_size)
        scores = scores + tri
        weights = my_softmax(scores)
        heads = np.matmul(weights, V)
        heads = np.transpose(heads, (0, 2, 1, 3))
        concat = np.reshape(heads, (batch_size, seq_len, d_model))
        attention_output = np.matmul(concat, layer["w_o"]) + layer["b_o"]
        X = X + attention_output

        # ----- feed forward -----
        pre_norm = my_layer_norm(X, layer["ln2_g"], layer["ln2_b"])
        hidden = np.matmul(pre_norm, layer["w_fc"]) + layer["b_fc"]
        inner = np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)
        hidden = 0.5 * hidden * (1 + np.tanh(inner))
        X = X + np.matmul(hidden, layer["w_proj"]) + layer["b_proj"]

    X = my_layer_norm(X, P["lnf_g"], P["lnf_b"])
    logits = np.matmul(X, np.transpose(P["wte"]))
    return logits
