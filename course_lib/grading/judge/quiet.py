"""Whether a notebook has nothing to show, so that its first run can be spared (see `shown`).

This looks at lines, not at what they mean: who is wrongly taken for quiet is shown less, and gains
nothing. It is quick, and safe for whatever was handed in, since it runs in the judge's server.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterable
from typing import Any

from course_lib.grading.template import SETUP, TEST, Template, joined

LARGEST = 2**18  # bytes of a file that is looked at
# Lines that begin with a blank belong to one of these.
DEFINING = re.compile(r"\s|#|$|@|[)\]}]|(?:async )?def |class ")
PREPARING = re.compile(r"[A-Za-z_][\w., \[\]'\"]*=(?!=)|%matplotlib |np\.random\.seed\(")
IMPORT = re.compile(r"(?:import|from) ([A-Za-z_]\w*)")


def is_quiet(submission: bytes | None, template: Template, packages: Collection[str]) -> bool:
    """Say whether no cell shows or raises anything, as far as its lines tell, and no test is open.

    packages: what answers may import.
    """
    if any(cell.kind == TEST and not cell.hidden_lines for cell in template.cells):
        return False
    code = [cell for cell in template.cells if cell.cell_type == "code"]
    handed_out = {text.strip() for cell in code for text in (cell.public, cell.source)}
    importable = {name.partition(".")[0] for name in packages} | sys.stdlib_module_names
    for cell in code:
        if cell.kind == SETUP and not _only(cell.source, importable, PREPARING):
            return False
    return all(
        text.strip() in handed_out or _only(text, importable) for text in _code_cells(submission)
    )


def _only(
    text: str, importable: Collection[str], more: re.Pattern[str] = re.compile(r"(?!)")
) -> bool:
    """Say whether all lines define or import something, or are of one more kind."""
    for line in text.split("\n"):
        if found := IMPORT.match(line):
            if found[1] not in importable:
                return False
        elif not DEFINING.match(line) and not more.match(line):
            return False
    return True


def _code_cells(submission: bytes | None) -> Iterable[str]:
    """Yield the texts of a notebook's code cells; one that nobody can call quiet if it is odd."""
    if submission is None:
        return
    try:
        cells: Any = json.loads(submission)["cells"] if len(submission) <= LARGEST else None
        yield from [joined(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, TypeError, KeyError, RecursionError):
        yield "not to be read at a glance"
