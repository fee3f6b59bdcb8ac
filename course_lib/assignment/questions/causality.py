"""Exercise 4 of the lesson as an experiment: what each row of the toy's logits does.

The answers are two lists of eight numbers, the largest |ΔZ| of each row.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.assignment.short_answers import LARGEST, Question, Sheet
from course_lib.toy_gpt import TOY_IDS, lesson_14_toy, toy_logits

NEW_ID = 41
DIGITS = 2e-3  # four decimals are asked for, three are enough


@cache
def row_changes(
    position: int, masked: bool, new_id: int = NEW_ID, masked_before: bool | None = None
) -> NDArray[np.float64]:
    """Return max |ΔZ| of each row after the id at `position` is replaced: (T,).

    masked_before: whether the run with the old id has the mask, if not the same.
    """
    model, changed = lesson_14_toy(seed=14), TOY_IDS.copy()
    changed[position] = new_id
    none_at_all = np.zeros((len(changed), len(changed)))
    mask = None if masked else none_at_all
    before = mask if masked_before is None else None if masked_before else none_at_all
    dZ = toy_logits(model, changed, mask) - toy_logits(model, TOY_IDS, before)
    largest: NDArray[np.float64] = np.abs(dZ).max(axis=-1)
    return largest


def judge_experiment(sheet: Sheet) -> None:
    """First id replaced with the mask, last id replaced without."""
    _judge_list(sheet, "change_first", position=0, masked=True)
    _judge_list(sheet, "change_last_unmasked", position=7, masked=False)


def _judge_list(sheet: Sheet, name: str, position: int, masked: bool) -> None:
    value, expected = sheet[name], row_changes(position, masked)
    rows, sizes = f"{name}: which rows change", f"{name}: by how much"
    if value is None:
        sheet.mark(f"{name}: not answered yet", 1, right=False)
        return
    numbers = _as_rows(value)
    if numbers is None:
        sheet.remark("no_list", f"{name} is no list of eight numbers",
                     "Give max |ΔZ| of each row: "
                     "np.abs(dZ).max(axis=-1).round(4).tolist()")  # fmt: skip
        sheet.mark(rows, 0.5, right=False)
        sheet.mark(sizes, 0.5, right=False)
        return
    right_rows = bool(((np.abs(numbers) > 1e-9) == (expected > 0)).all())
    right_sizes = bool(np.allclose(numbers, expected, rtol=0, atol=DIGITS))
    if not right_sizes:
        _remark(sheet, name, numbers, position, masked)
    sheet.mark(rows, 0.5, right_rows)
    sheet.mark(sizes, 0.5, right_sizes)


def _remark(
    sheet: Sheet, name: str, numbers: NDArray[np.float64], position: int, masked: bool
) -> None:
    def same(other: Any) -> bool:
        return np.allclose(numbers, other, rtol=0, atol=DIGITS)

    if (numbers < 0).any():
        sheet.remark("signed", f"{name} has negative entries", "Take |ΔZ| before the maximum.")
    elif same(row_changes(position, not masked)):
        with_or_without = "without the mask" if masked else "with the causal mask still in place"
        sheet.remark("mask", f"{name} was measured {with_or_without}",
                     "The third argument of toy_logits is added to the scores: None is the causal "
                     "mask, zeros are none at all. Use the same for both runs.")  # fmt: skip
    elif any(same(row_changes(position, run, masked_before=not run)) for run in (True, False)):
        sheet.remark("one_run", f"{name}: one run has the mask and the other has none",
                     "Only the id may differ between the two runs.")  # fmt: skip
    elif same(row_changes(7 - position, not masked)):
        sheet.remark("other_list", f"{name} holds what the other experiment gives",
                     "Have the two lists changed places?")  # fmt: skip
    elif same(row_changes(7 - position, masked)):
        sheet.remark("place", f"{name}: the other end was changed",
                     f"Replace the id at position {position}, counted from 0.")  # fmt: skip
    elif position == 0 and same(row_changes(1, masked)):
        sheet.remark("one_based", f"{name}: the second id was changed", "Positions count from 0.")
    elif same(row_changes(position, masked, NEW_ID + 1)):
        sheet.remark("id", f"{name}: the new id is 42, not 41",
                     "The source counts ids from 1; its 42 is our 41.")  # fmt: skip
    elif (numbers == numbers.astype(bool)).all():
        sheet.remark("flags", f"{name} says which rows change, not by how much",
                     "Give max |ΔZ| of each row.")  # fmt: skip
    else:
        how = "with the causal mask" if masked else "without a mask"
        sheet.remark("wrong", f"{name} has other values",
                     f"Copy the ids and replace the one at position {position} by {NEW_ID}. Run "
                     f"the toy on both, {how}, subtract the logits, and take the largest |ΔZ| of "
                     "each row.")  # fmt: skip


def _as_rows(value: Any) -> NDArray[np.float64] | None:
    if not isinstance(value, (list, tuple)) or len(value) != len(TOY_IDS):
        return None
    if not all(isinstance(entry, (int, float)) and abs(entry) < LARGEST for entry in value):
        return None  # NaN as well: it is smaller than nothing
    return np.array(value, dtype=np.float64)


QUESTIONS = (
    Question("causality_experiment", "02_causality", ("change_first", "change_last_unmasked"), 2,
             judge_experiment),
)  # fmt: skip
