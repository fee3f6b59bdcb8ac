"""Mistakes in the embedding: token rows, position rows, scale. How to add one: __init__.py."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.gpt_logits.reference import GPT2

LESSON = "01_forward_pass, embedding"
PART = "embed"


def _sinusoids(m: GPT2, idx: NDArray[Any]) -> NDArray[Any]:
    angle = np.arange(m.T)[:, None] / 10000 ** (np.arange(0, m.d, 2) / m.d)  # (T, ceil(d/2))
    out = np.zeros((m.T, m.d))
    out[:, 0::2] = np.sin(angle)
    out[:, 1::2] = np.cos(angle)[:, : m.d // 2]
    return out


def _counted(m: GPT2) -> NDArray[Any]:
    """Number all tokens of the batch in a row."""
    return np.arange(m.B * m.T).reshape(m.B, m.T)


SWITCHES = (
    switch(
        "no_positions", "The position embedding is missing",
        "x starts as wte[idx] + wpe[:T]; the second term is not there.",
        LESSON, PART, embed=lambda m, idx: m.token_rows(idx),
    ),
    switch(
        "no_tokens", "The token embedding is missing",
        "x starts as wte[idx] + wpe[:T]; the first term is not there.",
        LESSON, PART, token_rows=lambda m, idx: np.zeros((m.B, m.T, m.d)),
    ),
    switch(
        "positions_from_1", "Positions start at 1 instead of 0",
        "The first token takes row 0 of wpe, the last one row T − 1.",
        LESSON, PART,
        {"position_rows": lambda m, idx: m.P["wpe"][1 : m.T + 1]},
        {"position_rows": lambda m, idx: m.P["wpe"][np.arange(1, m.T + 1)]},
        {"position_rows": lambda m, idx: m.P["wpe"][(np.arange(m.T) + 1) % len(m.P["wpe"])]},
        {"position_rows": lambda m, idx: m.P["wpe"][np.arange(m.T) - 1]},
    ),
    switch(
        "positions_from_the_end", "Positions are taken from the end of wpe",
        "The T rows that count are the first ones, wpe[:T]; you take the last ones.",
        LESSON, PART, position_rows=lambda m, idx: m.P["wpe"][-m.T :],
    ),
    switch(
        "positions_reversed", "Positions run backwards",
        "Token t takes row t of wpe; here the order is turned round.",
        LESSON, PART,
        {"position_rows": lambda m, idx: m.P["wpe"][: m.T][::-1]},
        {"position_rows": lambda m, idx: m.P["wpe"][::-1][: m.T]},
    ),
    switch(
        "positions_by_token", "The position table is read by token id",
        "wpe[idx] looks up the token's number in the table of places. Use rows 0 … T − 1: wpe[:T].",
        LESSON, PART,
        {"position_rows": lambda m, idx: m.P["wpe"][idx]},
        {"position_rows": lambda m, idx: m.P["wpe"][idx % len(m.P["wpe"])]},
        {"position_rows": lambda m, idx: m.P["wpe"][np.minimum(idx, len(m.P["wpe"]) - 1)]},
    ),
    switch(
        "tokens_by_position", "The token table is read by position",
        "wte must be read at the ids: wte[idx].",
        LESSON, PART, token_rows=lambda m, idx: m.P["wte"][np.arange(m.T)],
    ),
    switch(
        "positions_not_cut", "All rows of wpe are added, whatever the length",
        "wpe has T_max rows; a sequence of T tokens takes the first T: wpe[:T].",
        LESSON, PART, position_rows=lambda m, idx: m.P["wpe"],
    ),
    switch(
        "one_position_row", "Every token gets the same position row",
        "Token t takes row t of wpe. Here a single row is added everywhere.",
        LESSON, PART,
        {"position_rows": lambda m, idx: m.P["wpe"][0]},
        {"position_rows": lambda m, idx: m.P["wpe"][m.T - 1]},
        {"position_rows": lambda m, idx: m.P["wpe"][m.T]},
        {"position_rows": lambda m, idx: m.P["wpe"][: m.T].mean(axis=0)},
    ),
    switch(
        "positions_by_batch", "Positions are counted along the batch",
        "The position is the index along the second axis of idx (T), not along the first (B).",
        LESSON, PART,
        {"position_rows": lambda m, idx: m.P["wpe"][np.arange(m.B)][:, None]},
    ),
    switch(
        "positions_of_token_table", "The position rows are read from the token table",
        "Positions have a table of their own: wpe[:T], not wte[:T].",
        LESSON, PART,
        {"position_rows": lambda m, idx: m.P["wte"][: m.T]},
        {"position_rows": lambda m, idx: m.P["wte"][np.arange(m.T) % m.V]},
        {"position_rows": lambda m, idx: m.P["wte"][-m.T :]},
        {"position_rows": lambda m, idx: m.P["wte"][np.minimum(np.arange(m.T), m.V - 1)]},
    ),
    switch(
        "tokens_of_position_table", "The token rows are read from the position table",
        "Ids are looked up in the token table: wte[idx], not wpe[idx].",
        LESSON, PART,
        {"token_rows": lambda m, idx: m.P["wpe"][idx % len(m.P["wpe"])]},
        {"token_rows": lambda m, idx: m.P["wpe"][np.minimum(idx, len(m.P["wpe"]) - 1)]},
    ),
    switch(
        "positions_repeated", "The position rows reach the wrong tokens of the batch",
        "With flattened ids of shape (B·T,) the positions run 0 … T − 1 for one sequence after the "
        "other: np.tile(np.arange(T), B), not np.repeat.",
        LESSON, PART,
        {"position_rows": lambda m, idx: m.P["wpe"][
            np.repeat(np.arange(m.T), m.B).reshape(m.B, m.T)]},
        {"position_rows": lambda m, idx: m.P["wpe"][
            np.tile(np.arange(m.B), m.T).reshape(m.B, m.T) % len(m.P["wpe"])]},
    ),
    switch(
        "positions_late", "The position embedding is added at the wrong place",
        "x starts as wte[idx] + wpe[:T], before the first block; nothing is added later.",
        LESSON, PART,
        {"position_rows": lambda m, idx: 0.0,
         "norm_final": lambda m, x: GPT2.norm_final(m, x + m.P["wpe"][: m.T])},
        {"position_rows": lambda m, idx: 0.0,
         "norm_final": lambda m, x: GPT2.norm_final(m, x) + m.P["wpe"][: m.T]},
        {"position_rows": lambda m, idx: 0.0,
         "transformer_block": lambda m, b, x: GPT2.transformer_block(m, b, x) + (
             m.P["wpe"][: m.T] if m.layer == 0 else 0.0)},
    ),
    switch(
        "batch_mixed", "The tokens of the batch are mixed up when idx is flattened",
        "idx.T or order='F' puts the tokens of different sequences into one. Flatten and reshape "
        "in the same order, or leave idx as it is.",
        LESSON, PART,
        {"token_rows": lambda m, idx: m.P["wte"][idx.T.reshape(idx.shape)]},
        {"token_rows": lambda m, idx: m.P["wte"][idx.ravel().reshape(idx.shape, order="F")]},
    ),
    switch(
        "token_rows_normalised", "The token rows are normalised before the positions are added",
        "x starts as the plain sum of the token row and the position row.",
        LESSON, PART,
        {"token_rows": lambda m, idx: m.normalise(m.P["wte"][idx])},
        {"token_rows": lambda m, idx: m.P["wte"][idx] / np.linalg.norm(
            m.P["wte"][idx], axis=-1, keepdims=True)},
    ),
    switch(
        "positions_run_on", "Positions go on counting from one sequence of the batch to the next",
        "Every sequence starts again at position 0: all take the same rows wpe[:T].",
        LESSON, PART,
        {"position_rows": lambda m, idx: m.P["wpe"][_counted(m)]},
        {"position_rows": lambda m, idx: m.P["wpe"][_counted(m) % len(m.P["wpe"])]},
        {"position_rows": lambda m, idx: m.P["wpe"][np.minimum(_counted(m), len(m.P["wpe"]) - 1)]},
        {"position_rows": lambda m, idx: m.P["wpe"][
            np.arange(m.T) + np.arange(m.B)[:, None]]},
        {"position_rows": lambda m, idx: m.P["wpe"][
            (np.arange(m.T) + np.arange(m.B)[:, None]) % len(m.P["wpe"])]},
    ),
    switch(
        "ids_clipped", "Some token ids are clipped or wrapped and read another row",
        "Ids run from 0 to V − 1, both included: the last id is V − 1. Look it up as it is: "
        "wte[idx].",
        LESSON, PART,
        *({"token_rows": lambda m, idx, f=f: m.P["wte"][f(m, idx)]} for f in (
            lambda m, idx: np.minimum(idx, m.V - 2), lambda m, idx: idx % (m.V - 1),
            lambda m, idx: np.maximum(idx, 1), lambda m, idx: np.clip(idx, 1, m.V - 2),
            lambda m, idx: np.minimum(idx, len(m.P["wpe"]) - 1),
            lambda m, idx: idx % len(m.P["wpe"]), lambda m, idx: np.minimum(idx, m.d - 1))),
    ),
    switch(
        "positions_multiplied", "Token and position embeddings are multiplied",
        "GPT-2 adds the two rows.",
        LESSON, PART, embed=lambda m, idx: m.token_rows(idx) * m.position_rows(idx),
    ),
    switch(
        "positions_subtracted", "The position embedding is subtracted",
        "GPT-2 adds the two rows.",
        LESSON, PART, embed=lambda m, idx: m.token_rows(idx) - m.position_rows(idx),
    ),
    switch(
        "positions_twice", "The position embedding is added twice",
        "One row of wpe for each token, once.",
        LESSON, PART, position_rows=lambda m, idx: 2 * m.P["wpe"][: m.T],
    ),
    switch(
        "positions_in_every_block", "The position embedding is added in every block",
        "Positions are added once, at the bottom; the blocks carry them on.",
        LESSON, PART,
        {"transformer_block": lambda m, b, x: GPT2.transformer_block(m, b, x + m.P["wpe"][: m.T]),
         "position_rows": lambda m, idx: 0.0},
        {"transformer_block": lambda m, b, x: GPT2.transformer_block(m, b, x + m.P["wpe"][: m.T])},
    ),
    switch(
        "sinusoidal_positions", "Positions are sinusoids, not the learned table",
        "GPT-2 learns its positions: they are in P['wpe'].",
        LESSON, PART,
        {"position_rows": _sinusoids},
        {"position_rows": lambda m, idx: GPT2.position_rows(m, idx) + _sinusoids(m, idx)},
    ),
    switch(
        "embedding_scaled", "The token embedding is multiplied by √d",
        "The original Transformer does that; GPT-2 does not.",
        LESSON, PART,
        {"token_rows": lambda m, idx: m.P["wte"][idx] * np.sqrt(m.d)},
        {"embed": lambda m, idx: GPT2.embed(m, idx) * np.sqrt(m.d)},
    ),
    switch(
        "embedding_shrunk", "The embedding is divided by √d or by 2",
        "x starts as the plain sum of the token row and the position row.",
        LESSON, PART,
        {"embed": lambda m, idx: GPT2.embed(m, idx) / np.sqrt(m.d)},
        {"token_rows": lambda m, idx: m.P["wte"][idx] / np.sqrt(m.d)},
        {"embed": lambda m, idx: GPT2.embed(m, idx) / 2},
        {"token_rows": lambda m, idx: m.P["wte"][idx] / 2},
        {"embed": lambda m, idx: GPT2.embed(m, idx) / np.sqrt(2)},
        {"embed": lambda m, idx: GPT2.embed(m, idx) / m.d},
    ),
    switch(
        "embedding_normalised", "The embedding is normalised before the first block",
        "GPT-2 has no layer norm between the embedding and the first block.",
        LESSON, PART,
        {"embed": lambda m, idx: m.normalise(GPT2.embed(m, idx))},
        {"embed": lambda m, idx: m.norm_final(GPT2.embed(m, idx))},
        {"embed": lambda m, idx: m.norm1(m.P["blocks"][0], GPT2.embed(m, idx))},
    ),
    switch(
        "ids_off_by_one", "Token ids are shifted by one",
        "Ids are 0-based: token i is row i of wte.",
        LESSON, PART,
        {"token_rows": lambda m, idx: m.P["wte"][idx - 1]},
        {"token_rows": lambda m, idx: m.P["wte"][idx + 1]},
        {"token_rows": lambda m, idx: m.P["wte"][(idx + 1) % m.V]},
        {"token_rows": lambda m, idx: m.P["wte"][np.minimum(idx + 1, m.V - 1)]},
    ),
    switch(
        "ids_shifted_right", "The sequence is shifted by one position",
        "The model reads idx as it is. Shifting belongs to the targets of training.",
        LESSON, PART,
        {"token_rows": lambda m, idx: m.P["wte"][np.roll(idx, 1, axis=1)]},
        {"token_rows": lambda m, idx: m.P["wte"][np.roll(idx, -1, axis=1)]},
    ),
    switch(
        "only_first_sequence", "Only the first sequence of the batch is read",
        "Every row of idx is a sequence of its own.",
        LESSON, PART,
        token_rows=lambda m, idx: m.P["wte"][np.broadcast_to(idx[:1], idx.shape)],
    ),
    switch(
        "positions_scaled", "The position embedding is scaled",
        "One row of wpe for each token, as it is.",
        LESSON, PART,
        *({"position_rows": lambda m, idx, f=f: GPT2.position_rows(m, idx) * f(m)} for f in (
            lambda m: np.sqrt(m.d), lambda m: m.d**-0.5, lambda m: 0.5, lambda m: 0.1,
            lambda m: m.d)),
    ),
    switch(
        "ids_reordered", "The ids are reversed or sorted before they are looked up",
        "The model reads idx in its own order, from left to right.",
        LESSON, PART,
        {"token_rows": lambda m, idx: m.P["wte"][idx[:, ::-1]]},
        {"token_rows": lambda m, idx: m.P["wte"][np.sort(idx, axis=1)]},
    ),
)  # fmt: skip
