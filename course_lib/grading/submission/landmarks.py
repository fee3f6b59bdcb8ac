"""What of the template can be recognised in a submission."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from course_lib.grading.names import used_names
from course_lib.grading.submission.cells import key
from course_lib.grading.template import TEST, Template, TemplateCell


@dataclass(frozen=True)
class Landmarks:
    """The template, ready for look-ups; every value is an index of a template cell.

    by_grade_id, by_cell_id: one cell each. by_text: all cells that were handed out with this
    text, or whose whole text it is. by_line: all cells that hold this line, but those a student
    writes in. sizes: how many lines each cell has. owners: for a name that tests ask for, the one
    answer that binds it. nbgrader: each cell's metadata.
    """

    cells: tuple[TemplateCell, ...]
    by_grade_id: dict[str, int]
    by_cell_id: dict[str, int]
    by_text: dict[str, tuple[int, ...]]
    by_line: dict[str, tuple[int, ...]]
    sizes: tuple[int, ...]
    owners: dict[str, int]
    nbgrader: tuple[Mapping[str, Any], ...]

    def owned(self, names: Iterable[str]) -> frozenset[int]:
        """Return the answers that bind these names."""
        return frozenset(self.owners[name] for name in names if name in self.owners)

    def names_of(self, index: int) -> frozenset[str]:
        """Return the names by which an answer is known."""
        return frozenset(name for name, owner in self.owners.items() if owner == index)

    def surplus(self, source: str) -> str:
        """Return the text without the lines that come from the template itself."""
        lines = [line for line in source.split("\n") if line.strip() not in self.by_line]
        return "\n".join(lines).strip("\n")


def lines_of(source: str) -> list[str]:
    """Return the lines that say something, without the blanks around them."""
    return [line for line in map(str.strip, source.split("\n")) if line]


def landmarks(template: Template) -> Landmarks:
    """Return the landmarks of a template; those of the last few are kept."""
    found = _KEPT.get(template.digest)
    if found is None:
        found = _landmarks(template)
        _KEPT[template.digest] = found
        while len(_KEPT) > 16:
            _KEPT.popitem(last=False)
    return found


_KEPT: OrderedDict[str, Landmarks] = OrderedDict()


def _landmarks(template: Template) -> Landmarks:
    by_text: dict[str, tuple[int, ...]] = {}
    by_line: dict[str, tuple[int, ...]] = {}
    sizes = []
    for cell in template.cells:
        texts = {key(cell.public)} if cell.answered else {key(cell.public), key(cell.source)}
        for text in texts:
            by_text[text] = (*by_text.get(text, ()), cell.index)
        lines = set(lines_of(cell.public))
        sizes.append(len(lines))
        if not cell.answered:
            for line in lines:
                by_line[line] = (*by_line.get(line, ()), cell.index)
    by_text.pop("", None)
    ids = [raw.get("id") for raw in template.notebook["cells"]]
    return Landmarks(
        template.cells,
        {cell.grade_id: cell.index for cell in template.cells if cell.grade_id},
        {name: index for index, name in enumerate(ids) if isinstance(name, str)},
        by_text,
        by_line,
        tuple(sizes),
        _owners(template),
        tuple(raw.get("metadata", {}).get("nbgrader") or {} for raw in template.notebook["cells"]),
    )


def _owners(template: Template) -> dict[str, int]:
    """Return whose a name is: of the one answer that binds it, if no other cell does."""
    binders: dict[str, list[TemplateCell]] = {}
    asked: set[str] = set()
    for cell in template.cells:
        for name in set(cell.names) - _imported(cell):
            binders.setdefault(name, []).append(cell)
        if cell.kind == TEST:
            asked |= used_names(cell.source)
    own = {
        name: cells[0].index
        for name, cells in binders.items()
        if len(cells) == 1 and cells[0].answered
    }
    # Names that no test asks for (of a part of it) say something only where there is no better one.
    known = {index for name, index in own.items() if name in asked}
    return {name: index for name, index in own.items() if name in asked or index not in known}


def _imported(cell: TemplateCell) -> frozenset[str]:
    """Return the names on lines with an import: they say little about whose cell it is."""
    lines = [line for line in lines_of(cell.source) if line.startswith(("import ", "from "))]
    return frozenset(name for line in lines for name in re.findall(r"\w+", line))
