"""A GPT-2 with weights set by hand that knows one text by heart: a checkpoint to try things on.

It is a complete GPT-2, and does nothing but look where it is: wpe tells the position, one unit
of the MLP answers to each, and writes the embedding of the token that comes next. Attention is
silent (w_o = 0). Whatever the prompt, it goes on from that position of its text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from course_lib.checkpoint import save_gpt2
from course_lib.gpt_parameters import Params, init_gpt
from course_lib.tokenizer import byte_vocabulary, load_tokenizer
from course_lib.validation import require_ids, require_int, require_number


def reciting_gpt(
    ids: Sequence[int], V: int, certainty: float = 8.0, seed: int = 0, dtype: Any = np.float32
) -> Params:
    """Return parameters that predict ids[t + 1] at position t, whatever stands there.

    Args:
        ids: the text, at least two tokens, in [0, V). The context is as long as the text.
        V: the size of the vocabulary.
        certainty: about the logit of the next token, the others' being spread around 0.
        seed: draws the embeddings, which are directions nearly at right angles.
        dtype: as for `init_gpt`.

    The width d is a multiple of 64 with room for the text: 4·d MLP units, d dimensions.

    Raises:
        TypeError, ValueError: ids or numbers that cannot be.
    """
    require_int("V", V)
    text = require_ids("ids", ids, vocabulary=V, ndim=1, max_T=None)
    if len(text) < 2:
        raise ValueError(f"ids must hold at least two tokens, got {len(text)}")
    T = len(text)
    d = 64 * (T // 64 + 1)
    P = init_gpt(V, T, d, 1, seed=seed)
    rng = np.random.default_rng(seed)

    def directions(n: int) -> Any:
        rows = rng.standard_normal((n, d))
        rows -= rows.mean(axis=1, keepdims=True)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)  # (n, d), of length 1

    places = directions(d)
    places = np.linalg.qr((places - places.mean(axis=1, keepdims=True)).T)[0].T[:T]  # at 90°
    P["wte"] = directions(V) * require_number("certainty", certainty) / np.sqrt(d)  # small
    P["wpe"] = places * 8
    block = P["blocks"][0]
    for name in ("w_qkv", "w_o", "w_fc", "w_proj"):
        block[name][...] = 0
    # After layer norm a place has length √d. Its own unit gets 4, the others about -4, where
    # GELU is nearly 0.
    block["w_fc"][:, :T] = places.T * 8 / np.sqrt(d)
    block["b_fc"][:] = -4
    towards = P["wte"][text[1:]]  # (T - 1, d)
    block["w_proj"][: T - 1] = towards / np.linalg.norm(towards, axis=1, keepdims=True) * 100
    top = {name: value.astype(dtype) for name, value in P.items() if name != "blocks"}
    return {**top, "blocks": [{name: value.astype(dtype) for name, value in block.items()}]}


def save_reciting_checkpoint(
    text: str, folder: str | os.PathLike[str], certainty: float = 8.0, dtype: Any = np.float32
) -> None:
    """Write a checkpoint with vocabulary that recites a text, a byte a token.

    Needs the extra `checkpoints`.

    Raises:
        ValueError: a text of less than two bytes.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.json").write_text(json.dumps(byte_vocabulary()), "utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", "utf-8")
    ids = load_tokenizer(folder).encode(text).ids
    P = reciting_gpt(ids, len(byte_vocabulary()), certainty, dtype=dtype)
    save_gpt2(P, n_head=2, folder=folder)
