# mistake: the brackets are wrong: 0.5·x·1 + tanh
# accept: bracket; parenthes; precedence; x * 0.5 + tanh; ½x + tanh; ½ x + tanh; x/2 + tanh; tanh & not multiplied
import numpy as np

C0 = np.sqrt(2.0 / np.pi)
C1 = 0.044715


def _normalise(rows, scale, offset):
    rows = rows - rows.mean(1)[:, None]
    sigma = np.sqrt((rows ** 2).sum(1) / rows.shape[1] + 1e-5)
    return rows / sigma[:, None] * scale + offset


def gpt_logits(params, tokens, num_heads):
    n_batch, n_time = tokens.shape
    vocab, width = params["wte"].shape
    size = width // num_heads

    def heads(rows):
        # (B*T, d) -> (B*h, T, dk)
        rows = rows.reshape(n_batch, n_time, num_heads, size)
        rows = np.swapaxes(rows, 1, 2)
        return rows.reshape(n_batch * num_heads, n_time, size)

    def unheads(cube):
        # (B*h, T, dk) -> (B*T, d)
        cube = cube.reshape(n_batch, num_heads, n_time, size)
        cube = np.swapaxes(cube, 1, 2)
        return cube.reshape(n_batch * n_time, width)

    flat = tokens.reshape(-1)
    where = np.tile(np.arange(n_time), n_batch)
    stream = params["wte"][flat] + params["wpe"][where]
    allowed = np.arange(n_time)[:, None] >= np.arange(n_time)[None, :]

    for layer in params["blocks"]:
        seen = _normalise(stream, layer["ln1_g"], layer["ln1_b"])
        both = seen @ layer["w_qkv"] + layer["b_qkv"]
        query, key, value = heads(both[:, :width]), heads(both[:, width:-width]), heads(both[:, -width:])
        score = (query / np.sqrt(size)) @ key.transpose(0, 2, 1)
        score[:, ~allowed] = -np.inf
        score -= score.max(2)[:, :, None]
        prob = np.exp(score)
        prob /= prob.sum(2)[:, :, None]
        stream = stream + unheads(prob @ value) @ layer["w_o"] + layer["b_o"]
        seen = _normalise(stream, layer["ln2_g"], layer["ln2_b"])
        inner = seen @ layer["w_fc"] + layer["b_fc"]
        inner = inner * 0.5 * 1 + np.tanh(C0 * (inner + C1 * inner ** 3))
        stream = stream + inner @ layer["w_proj"] + layer["b_proj"]

    final = _normalise(stream, params["lnf_g"], params["lnf_b"])
    return (final @ params["wte"].T).reshape(n_batch, n_time, vocab)
