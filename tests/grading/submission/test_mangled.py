"""Every mangled notebook: what is still legible is recovered, and what was odd is told."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from course_lib.grading.submission import Submission, find_notebooks, read_bytes, read_submission
from course_lib.grading.submission.cells import key
from tests.grading.mangled import (
    ANSWERS,
    FOLDER_MANGLINGS,
    MANGLINGS,
    NAME,
    FolderMangling,
    Mangling,
    good_bytes,
    template,
)

TEMPLATE = template()
TESTS = [cell for cell in TEMPLATE.cells if cell.kind == "test"]


@cache
def read_mangled(mangling: Mangling) -> Submission:
    return read_submission(mangling.mangle(good_bytes()), TEMPLATE)


@pytest.mark.parametrize("mangling", MANGLINGS, ids=lambda mangling: mangling.name)
def test_legible_answers_are_recovered(mangling: Mangling):
    read = read_mangled(mangling)

    found = {name: key(a.source) for name, a in read.answers.items() if a.changed}
    assert found == {
        name: key(mangling.texts.get(name, ANSWERS[name])) for name in mangling.recovered
    }
    unchanged = {name for name, answer in read.answers.items() if not answer.changed}
    assert unchanged == mangling.unchanged
    elsewhere = {name for name, answer in read.answers.items() if answer.elsewhere}
    assert elsewhere == mangling.elsewhere
    assert read.legible == mangling.legible


@pytest.mark.parametrize("mangling", MANGLINGS, ids=lambda mangling: mangling.name)
def test_what_was_odd_is_told(mangling: Mangling):
    read = read_mangled(mangling)

    kinds = [remark.kind for remark in read.remarks]
    assert mangling.remarks <= set(kinds)
    assert len(kinds) == len(set(kinds))
    assert any(remark.needs_look for remark in read.remarks) == mangling.needs_look, read.remarks
    for remark in read.remarks:
        assert remark.text.isprintable()
        assert len(remark.text) < 700


@pytest.mark.parametrize("mangling", MANGLINGS, ids=lambda mangling: mangling.name)
def test_extra_cells_are_the_students_own_and_nothing_of_a_test(mangling: Mangling):
    read = read_mangled(mangling)

    code = [cell.source for cell in read.extra if cell.cell_type == "code"]
    remaining = iter(code)
    for piece in mangling.extra:
        assert any(piece in source for source in remaining), piece
    if not mangling.extra:
        assert code == []
    assert_runs_no_test(read)


def assert_runs_no_test(read: Submission) -> None:
    texts = [cell.source for cell in read.extra] + [a.source for a in read.answers.values()]
    for text in texts:
        assert "assert " not in text
    assert all(-1 <= cell.after < len(TEMPLATE.cells) for cell in read.extra)


@pytest.mark.parametrize("mangling", FOLDER_MANGLINGS, ids=lambda mangling: mangling.name)
def test_the_file_is_found(mangling: FolderMangling, tmp_path: Path):
    folder = tmp_path / "student"
    folder.mkdir()
    mangling.make(folder, good_bytes())

    found = find_notebooks(folder, [NAME], {NAME: TEMPLATE})

    one = found.notebooks[NAME]
    assert one.path == (folder / mangling.found if mangling.found else None)
    assert {remark.kind for remark in one.remarks} == mangling.remarks
    assert any(r.needs_look for r in (*one.remarks, *found.remarks)) == mangling.needs_look
    assert mangling.ignored <= set(found.ignored)
    for remark in (*one.remarks, *found.remarks):
        assert remark.text.isprintable()
    if one.path:
        answers = read_submission(read_bytes(one.path), TEMPLATE).answers
        assert {name: answer.source for name, answer in answers.items()} == ANSWERS
