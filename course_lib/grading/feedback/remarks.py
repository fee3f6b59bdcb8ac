"""What a student reads about the file handed in: only what a student can do something about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Kinds of the judge's remarks that are for the instructor, who finds them in the class report.
FOR_INSTRUCTORS = frozenset((
    "bad_json", "broke_off", "byte_order_mark", "changed_cell_type", "control_characters",
    "copied_test", "edited_metadata", "encoding", "found_by_cell_id", "found_by_name",
    "found_by_position", "harmless_conflict", "live_test", "missing_answer", "no_metadata",
    "odd_blanks", "odd_cell_ids", "odd_cells", "old_format", "other_kernel", "other_tool",
    "surrogates", "tags", "timestamp", "trailing_text", "unknown_format", "unknown_grade_id",
))  # fmt: skip


def remarks_for_students(notebook: Mapping[str, Any]) -> list[str]:
    """Return the sentences about a graded notebook that its student should read, each once.

    An answer that is missing is told where it should stand.
    """
    judge = notebook.get("metadata", {}).get("judge")
    remarks = judge.get("remarks", []) if isinstance(judge, Mapping) else []
    kinds = {remark.get("kind") for remark in remarks}
    hidden = FOR_INSTRUCTORS | ({"empty_file"} if "missing_file" in kinds else set())
    texts = (str(remark.get("text", "")) for remark in remarks if remark.get("kind") not in hidden)
    return list(dict.fromkeys(texts))
