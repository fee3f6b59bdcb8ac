"""What a student reads about the file handed in: only what a student can do something about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MISSING_ANSWER = "missing_answer"
NO_CELL = re.compile(r"There is no cell for (.+?)(?: …)?\.")
# Kinds of the judge's remarks that are for the instructor, who finds them in the class report.
FOR_INSTRUCTORS = frozenset((
    "bad_json", "broke_off", "byte_order_mark", "changed_cell_type", "control_characters",
    "copied_test", "edited_metadata", "encoding", "found_by_cell_id", "found_by_name",
    "found_by_position", "harmless_conflict", "live_test", MISSING_ANSWER, "no_metadata",
    "odd_blanks", "odd_cell_ids", "odd_cells", "old_format", "other_kernel", "other_tool",
    "own_timestamp", "surrogates", "tags", "timestamp", "trailing_text", "unknown_format",
    "unknown_grade_id",
))  # fmt: skip

# What another remark has said already: a file that is not there is not an empty one, and nobody
# deleted what was lost with the end of a file.
IMPLIED = {"missing_file": {"empty_file"}, "broken_json": {"missing_test"}}


def remarks_for_students(notebook: Mapping[str, Any]) -> list[str]:
    """Return the sentences about a graded notebook that its student should read, each once.

    An answer that is missing is told where it should stand.
    """
    remarks = _remarks(notebook)
    kinds = {remark.get("kind") for remark in remarks}
    hidden = set(FOR_INSTRUCTORS).union(*(IMPLIED[kind] for kind in IMPLIED.keys() & kinds))
    texts = (str(remark.get("text", "")) for remark in remarks if remark.get("kind") not in hidden)
    return list(dict.fromkeys(texts))


def missing_answers(notebook: Mapping[str, Any]) -> set[str]:
    """Return the grade ids of answers that the judge looked for in vain, as far as it lists them.

    They matter where a test is of several answers, and only some of them are missing.
    """
    texts = [str(r.get("text", "")) for r in _remarks(notebook) if r.get("kind") == MISSING_ANSWER]
    found = (NO_CELL.fullmatch(text) for text in texts)
    return {name for match in found if match for name in match[1].split(", ")}


def _remarks(notebook: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    judge = notebook.get("metadata", {}).get("judge")
    remarks = judge.get("remarks", []) if isinstance(judge, Mapping) else []
    return [remark for remark in remarks if isinstance(remark, Mapping)]
