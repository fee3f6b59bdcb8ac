# mistake: the scores are divided by the root of the model width d, not of the head size d_k
# accept: √d; model width; full width; whole width; d_model; √n_embd
import numpy as np

EPSILON = 0.00001


def my_layer_norm(R, gamma, beta):
    # step 1: mean of each vector
    mu = np.mean(R, axis=2, keepdims=True)
    # step 2: variance of each vector
    variance = np.mean((R - mu) ** 2, axis=2, keepdims=True)
    # step 3: normalise
    X_hat = (R - mu) / np.sqrt(variance + EPSILON)
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
    d_model = P['wte'].shape[1]
    head_size = d_model // n_head

    # embeddings
    token_vectors = P['wte'][idx]
    position_vectors = P['wpe'][0:seq_len]
    R = token_vectors + position_vectors

    # the causal mask: 0 allowed, -1e9 forbidden
    causal = np.triu(np.ones((seq_len, seq_len)), k=1) * -1e9

    for pars in P['blocks']:
        # ----- attention -----
        pre_norm = my_layer_norm(R, pars['ln1_g'], pars['ln1_b'])
        c_attn_out = np.matmul(pre_norm, pars['w_qkv']) + pars['b_qkv']
        Q = c_attn_out[:, :, 0:d_model]
        K = c_attn_out[:, :, d_model:2 * d_model]
        V = c_attn_out[:, :, 2 * d_model:3 * d_model]
        Q = np.transpose(np.reshape(Q, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        K = np.transpose(np.reshape(K, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        V = np.transpose(np.reshape(V, (batch_size, seq_len, n_head, head_size)), (0, 2, 1, 3))
        dots = np.matmul(Q, np.transpose(K, (0, 1, 3, 2)))
        dots = dots / np.sqrt(d_model)
        dots = dots + causal
        weights = my_softmax(dots)
        heads = np.matmul(weights, V)
        heads = np.transpose(heads, (0, 2, 1, 3))
        concat = np.reshape(heads, (batch_size, seq_len, d_model))
        attention_output = np.matmul(concat, pars['w_o']) + pars['b_o']
        R = R + attention_output

        # ----- feed forward -----
        pre_norm = my_layer_norm(R, pars['ln2_g'], pars['ln2_b'])
        hidden = np.matmul(pre_norm, pars['w_fc']) + pars['b_fc']
        inner = np.sqrt(2 / np.pi) * (hidden + 0.044715 * hidden ** 3)
        hidden = 0.5 * hidden * (1 + np.tanh(inner))
        R = R + np.matmul(hidden, pars['w_proj']) + pars['b_proj']

    R = my_layer_norm(R, P['lnf_g'], P['lnf_b'])
    logits = np.matmul(R, np.transpose(P['wte']))
    return logits
