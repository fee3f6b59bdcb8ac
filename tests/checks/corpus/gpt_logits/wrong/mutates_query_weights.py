# mistake: the query columns of w_qkv are divided by √d_k in place, so the parameters change and a second call is wrong
# accept: in place; mutat; changes; changed; modif; input; second call; altered; overwrit
# shows: mutation
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


def my_softmax(onehot_in):
    biggest = np.max(onehot_in, axis=3, keepdims=True)
    exponentials = np.exp(onehot_in - biggest)
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
    tri = np.triu(np.ones((seq_len, seq_len)), k=1) * -1e9

    for blk in P["blocks"]:
        # ----- attention -----
        pre_norm = my_layer_norm(X, blk["ln1_g"], blk["ln1_b"])
        # put the scale into the weights
        blk["w_qkv"][:, 0:d_model] /= np.sqrt(head_size)
        blk["b_qkv"][0:d_model] /= np.sqrt(head_size)
        c_attn_out = np.matmul(pre_norm, blk["w_qkv"]) + blk["b_qkv"]
        Q = c_attn_out[:, :, 0:d_model]
        K = c_attn_out[:, :, d_model:2 * d_model]
        V = c_attn_out[:, :, 2 * d_model:3 * d_model]
        Q = np.transpose(np.reshape(Q, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        K = np.transpose(np.reshape(K, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        V = np.transpose(np.reshape(V, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        dots = np.matmul(Q, np.transpose(K, (0, 1, 3, 2)))

        dots = dots + tri
        weights = my_softmax(dots)
        heads = np.matmul(weights, V)
        heads = np.transpose(heads, (0, 2, 1, 3))
        concat = np.reshape(heads, (batch_size, seq_len, d_model))
        attention_output = np.matmul(concat, blk["w_o"]) + blk["b_o"]
        X = X + attention_output

        # ----- feed forward -----
        pre_norm = my_layer_norm(X, blk["ln2_g"], blk["ln2_b"])
        hidden = np.matmul(pre_norm, blk["w_fc"]) + blk["b_fc"]
        inner = np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)
        hidden = 0.5 * hidden * (1 + np.tanh(inner))
        X = X + np.matmul(hidden, blk["w_proj"]) + blk["b_proj"]

    X = my_layer_norm(X, P["lnf_g"], P["lnf_b"])
    logits = np.matmul(X, np.transpose(P["wte"]))
    return logits
