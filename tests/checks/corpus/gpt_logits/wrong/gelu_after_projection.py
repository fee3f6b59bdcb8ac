# mistake: GELU is applied after w_proj instead of between the two matrices
# accept: after the projection; after w_proj; after the second; gelu & place; between; after proj; gelu & after; output of the mlp; wrong place; no activation
import numpy as np

EPSILON = 0.00001


def my_layer_norm(R, gamma, beta):
    mu = np.mean(R, axis=2, keepdims=True)
    variance = np.mean((R - mu) ** 2, axis=2, keepdims=True)
    X_hat = (R - mu) / np.sqrt(variance + EPSILON)
    result = gamma * X_hat + beta
    return result


def my_softmax(sel):
    biggest = np.max(sel, axis=3, keepdims=True)
    exponentials = np.exp(sel - biggest)
    total = np.sum(exponentials, axis=3, keepdims=True)
    return exponentials / total


def gpt_logits(P, idx, n_head):
    batch_size = idx.shape[0]
    seq_len = idx.shape[1]
    d_model = P['wte'].shape[1]
    head_size = d_model // n_head

    token_vectors = P['wte'][idx]
    position_vectors = P['wpe'][0:seq_len]
    R = token_vectors + position_vectors

    m_causal = np.triu(np.ones((seq_len, seq_len)), k=1) * -1e9

    for block in P['blocks']:
        normed = my_layer_norm(R, block['ln1_g'], block['ln1_b'])
        proj3 = np.matmul(normed, block['w_qkv']) + block['b_qkv']
        Q = proj3[:, :, 0:d_model]
        K = proj3[:, :, d_model:2 * d_model]
        V = proj3[:, :, 2 * d_model:3 * d_model]
        Q = np.transpose(np.reshape(Q, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        K = np.transpose(np.reshape(K, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        V = np.transpose(np.reshape(V, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        sims = np.matmul(Q, np.transpose(K, (0, 1, 3, 2)))
        sims = sims / np.sqrt(head_size)
        sims = sims + m_causal
        weights = my_softmax(sims)
        heads = np.matmul(weights, V)
        heads = np.transpose(heads, (0, 2, 1, 3))
        concat = np.reshape(heads, (batch_size, seq_len, d_model))
        attention_output = np.matmul(concat, block['w_o']) + block['b_o']
        R = R + attention_output

        normed = my_layer_norm(R, block['ln2_g'], block['ln2_b'])
        hidden = np.matmul(normed, block['w_fc']) + block['b_fc']
        hidden = np.matmul(hidden, block['w_proj']) + block['b_proj']
        inner = np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)
        R = R + 0.5 * hidden * (1 + np.tanh(inner))

    R = my_layer_norm(R, P['lnf_g'], P['lnf_b'])
    logits = np.matmul(R, np.transpose(P['wte']))
    return logits
