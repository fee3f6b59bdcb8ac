# mistake: one position row (the last) is added at all positions
# accept: same row; same position; one row; single row; all positions; every position; each position
import numpy as np

EPSILON = 0.00001


def my_layer_norm(R, gamma, beta):
    # step 1: mean of each vector
    mean = np.mean(R, axis=2, keepdims=True)
    # step 2: variance of each vector
    variance = np.mean((R - mean) ** 2, axis=2, keepdims=True)
    # step 3: normalise
    X_hat = (R - mean) / np.sqrt(variance + EPSILON)
    # step 4: scale and shift
    result = gamma * X_hat + beta
    return result


def my_softmax(onehot_in):
    biggest = np.max(onehot_in, axis=3, keepdims=True)
    exponentials = np.exp(onehot_in - biggest)
    acc = np.sum(exponentials, axis=3, keepdims=True)
    return exponentials / acc


def gpt_logits(P, idx, n_head):
    batch_size = idx.shape[0]
    seq_len = idx.shape[1]
    d_model = P["wte"].shape[1]
    head_size = d_model // n_head

    # embeddings
    token_vectors = P["wte"][idx]
    position_vectors = P["wpe"][seq_len - 1]
    R = token_vectors + position_vectors

    # the causal mask: 0 allowed, -1e9 forbidden
    m_causal = np.triu(np.ones((seq_len, seq_len)), k=1) * -1e9

    for blk in P["blocks"]:
        # ----- attention -----
        ln = my_layer_norm(R, blk["ln1_g"], blk["ln1_b"])
        qkv = np.matmul(ln, blk["w_qkv"]) + blk["b_qkv"]
        Q = qkv[:, :, 0:d_model]
        K = qkv[:, :, d_model:2 * d_model]
        V = qkv[:, :, 2 * d_model:3 * d_model]
        Q = np.transpose(np.reshape(Q, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        K = np.transpose(np.reshape(K, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        V = np.transpose(np.reshape(V, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        scores = np.matmul(Q, np.transpose(K, (0, 1, 3, 2)))
        scores = scores / np.sqrt(head_size)
        scores = scores + m_causal
        weights = my_softmax(scores)
        heads = np.matmul(weights, V)
        heads = np.transpose(heads, (0, 2, 1, 3))
        concat = np.reshape(heads, (batch_size, seq_len, d_model))
        attention_output = np.matmul(concat, blk["w_o"]) + blk["b_o"]
        R = R + attention_output

        # ----- feed forward -----
        ln = my_layer_norm(R, blk["ln2_g"], blk["ln2_b"])
        hidden = np.matmul(ln, blk["w_fc"]) + blk["b_fc"]
        inner = np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)
        hidden = 0.5 * hidden * (1 + np.tanh(inner))
        R = R + np.matmul(hidden, blk["w_proj"]) + blk["b_proj"]

    R = my_layer_norm(R, P["lnf_g"], P["lnf_b"])
    logits = np.matmul(R, np.transpose(P["wte"]))
    return logits
