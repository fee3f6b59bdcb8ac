"""The exercise `rows_that_change`: causality from the other end, with and without a mask.

Exercise 4 of the lesson as a function: after token t is replaced, which rows of ΔZ may be
non-zero? To add a mistake: a `switch` that replaces a method of `ChangedRows`.
"""

# ruff: noqa: D102 - each method is one line
from __future__ import annotations

from typing import Any

import numpy as np

from course_lib.checks.exercise import Case, Exercise, Part, switch

LESSON = "02_causality, from the other end"

Array = Any


class ChangedRows:
    """Row s of the logits depends on token t if s >= t, or on all tokens without a mask."""

    def answer(self, T: int, t: int, masked: bool = True) -> Any:
        self.T, self.t = T, t
        return self.result(self.with_mask() if masked else self.without_mask())

    def rows(self) -> Array:
        return np.arange(self.T)

    def with_mask(self) -> Array:
        return self.rows() >= self.t

    def without_mask(self) -> Array:
        return np.ones(self.T, bool)

    def result(self, changed: Array) -> Any:
        return changed


def make_cases(seed: int) -> list[Case]:
    """Draw lengths and places; the first and the last token; with and without the mask."""
    rng = np.random.default_rng([seed, 6208])
    T = int(rng.integers(6, 15))
    middle = int(rng.integers(2, T - 2))

    def case(name: str, args: tuple[Any, ...], why: str, box: str) -> Case:
        words = ", ".join(f"{n} = {a}" for n, a in zip(("T", "t", "masked"), args, strict=False))
        return Case(name, (args,), why, secret=words, box=box)

    return [
        case("last", (T, T - 1), "the last token is changed", "the masked case"),
        case("first", (T, 0), "the first token is changed", "the masked case"),
        case("middle", (T, middle), "a token in the middle is changed", "the masked case"),
        case("lesson", (8, 7, True), "the lesson's eight tokens, the last is changed",
             "the masked case"),
        case("broken_last", (T, T - 1, False), "the last token is changed, without a mask",
             "the case without a mask"),
        case("broken_middle", (T, middle, False), "a middle token is changed, without a mask",
             "the case without a mask"),
        case("one", (1, 0), "a single token", "T = 1"),
    ]  # fmt: skip


EXERCISE = Exercise(
    name="rows_that_change",
    contract="rows_that_change(T, t, masked=True) returns a boolean array of shape (T,): True "
    "where row s of the logits may change when token t (0-based) is replaced",
    section=LESSON,
    reference=ChangedRows,
    make_cases=make_cases,
    parts=(
        Part("whole", "Every case", 0.5),
        Part("masked", "With the mask", 0.75, ("last", "first", "middle", "lesson", "one")),
        Part("broken", "Without a mask", 0.75, ("broken_last", "broken_middle")),
    ),
    switches=(
        switch("past_changes", "The rows before t change instead of those after",
               "The mask lets information flow to later positions only: rows s ≥ t.", LESSON,
               "masked", with_mask=lambda m: m.rows() <= m.t),
        switch("strictly_before", "The changed and the unchanged rows are exchanged",
               "True stands for rows that may change: s ≥ t.", LESSON, "masked",
               {"with_mask": lambda m: m.rows() < m.t}, {"result": lambda m, c: ~c}),
        switch("not_itself", "Row t itself is left out",
               "Position t reads its own token: its row changes too.", LESSON, "masked",
               with_mask=lambda m: m.rows() > m.t),
        switch("only_itself", "Only row t changes",
               "Later positions attend to t as well: all rows s ≥ t.", LESSON, "masked",
               with_mask=lambda m: m.rows() == m.t),
        switch("all_change", "All rows change although there is a mask",
               "The mask keeps rows before t as they were.", LESSON, "masked",
               with_mask=lambda m: np.ones(m.T, bool)),
        switch("neighbours", "Only the row after t changes, or rows near it",
               "Every later position attends to t: all rows s ≥ t.", LESSON, "masked",
               {"with_mask": lambda m: (m.rows() == m.t) | (m.rows() == m.t + 1)},
               {"with_mask": lambda m: m.rows() == m.t + 1}),
        switch("one_based", "t is taken as 1-based",
               "Positions are counted from 0.", LESSON, "masked",
               {"with_mask": lambda m: m.rows() >= m.t - 1}),
        switch("none_change", "No row changes",
               "Row t reads its own token, so at least that one changes.", LESSON, "masked",
               with_mask=lambda m: np.zeros(m.T, bool)),
        switch("masked_ignored", "masked=False is treated like masked=True",
               "Without a mask every position reads every other: all rows change.", LESSON,
               "broken",
               without_mask=lambda m: m.with_mask()),
        switch("broken_is_reversed", "Without a mask only earlier rows change",
               "Without a mask every position reads every other: all rows change.", LESSON,
               "broken",
               {"without_mask": lambda m: m.rows() <= m.t},
               {"without_mask": lambda m: m.rows() < m.t}),
        switch("broken_only_itself", "Without a mask only row t changes, or none",
               "Without a mask every position reads every other: all rows change.", LESSON,
               "broken",
               {"without_mask": lambda m: m.rows() == m.t},
               {"without_mask": lambda m: np.zeros(m.T, bool)}),
        switch("broken_not_itself", "Without a mask row t itself is left out",
               "All rows change, t's own included.", LESSON, "broken",
               without_mask=lambda m: m.rows() != m.t),
        switch("masked_inverted", "masked is taken the wrong way round",
               "masked=True is the causal model.", LESSON, "masked",
               with_mask=lambda m: np.ones(m.T, bool), without_mask=lambda m: m.rows() >= m.t),
        switch("indices", "The indices of the rows are returned, not a boolean array",
               "Return T entries, True or False.", LESSON, "whole",
               {"result": lambda m, c: np.flatnonzero(c)}, {"result": lambda m, c: np.argwhere(c)}),
        switch("matrix", "A (T, T) matrix is returned",
               "Return one entry for each row: shape (T,).", LESSON, "whole",
               {"result": lambda m, c: np.tril(np.ones((m.T, m.T), bool))},
               {"result": lambda m, c: np.tile(c, (m.T, 1))}),
        switch("count", "The number of rows is returned",
               "Return a boolean array of shape (T,).", LESSON, "whole",
               result=lambda m, c: int(c.sum())),
    ),
    arguments=("T", "t", "masked"),
)  # fmt: skip
