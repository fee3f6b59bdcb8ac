"""Run the toy GPT of Lesson 14 from ids to probabilities and print every number on the way.

Usage: python scripts/lesson-14/gpt_forward.py

The names are those of expected_values.json. Where a name says 1-based, the number is the source's
own: one more than the id or position that the code uses.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from course_lib.layers import layer_norm, softmax
from course_lib.toy_gpt import TOY_IDS, lesson_14_toy, toy_head, toy_logits, toy_residual_stream


def values() -> dict[str, Any]:
    """Compute the numbers of the forward pass, the causality test and two of the lenses."""
    model, ids = lesson_14_toy(seed=14), TOY_IDS
    N, T, d = len(model.blocks), len(ids), model.E.shape[1]

    stream = toy_residual_stream(model, ids)  # H0 … HN, each (T, d)
    norms = [float(np.linalg.norm(H)) for H in stream]
    logits = toy_head(model, stream[-1])  # (T, V)
    last = softmax(logits[-1])
    got: dict[str, Any] = {
        "ids, 1-based": (ids + 1).tolist(),
        "H0 shape": list(stream[0].shape),
        "H0 row 1, entries 1 to 6 (1-based)": stream[0][0, :6].tolist(),
        "HN shape": list(stream[-1].shape),
        "|HN|": norms[-1],
        "|Hl| for l = 0..4": norms,
        "sqrt(T d)": math.sqrt(T * d),
        "logits shape": list(logits.shape),
        "sum of the last row's probabilities": float(last.sum()),
        "most probable next token, 1-based": int(last.argmax()) + 1,
    }

    again = toy_logits(model, ids)
    changed = ids.copy()
    changed[-1] = 42 - 1
    dZ = np.abs(toy_logits(model, changed) - logits)
    got |= {
        "second run of the same ids: max |dZ|": float(np.abs(again - logits).max()),
        "last id changed to 42: max |dZ|, positions 1..7 (1-based)": float(dZ[:-1].max()),
        "last id changed to 42: max |dZ|, position 8 (1-based)": float(dZ[-1].max()),
    }

    h = layer_norm(stream[-1])[-1]  # (d,), the final vector of the last position
    tied = layer_norm(stream[-1]) @ model.E.T  # (T, V), the head if it were tied
    p = softmax(tied[-1])
    got |= {
        "tied head, last position: best token, 1-based": int(tied[-1].argmax()) + 1,
        "tied head, last position: its score": float(tied[-1].max()),
        "tied head: max |score - <h, e_v>| over all v": float(np.abs(tied[-1] - model.E @ h).max()),
        "tied head: sum of the probabilities": float(p.sum()),
        "tied head: largest probability": float(p.max()),
    }

    scaled = toy_residual_stream(model, ids, branch_scale=1 / math.sqrt(2 * N))
    got |= {
        "|HN| / |H0| as initialised": norms[-1] / norms[0],
        "|HN| / |H0| with branches scaled by 1/sqrt(2N)": float(np.linalg.norm(scaled[-1]))
        / norms[0],
    }
    return got


def main() -> None:
    """Print every value, one a line."""
    for name, value in values().items():
        print(f"{name:58} {value}")


if __name__ == "__main__":
    main()
