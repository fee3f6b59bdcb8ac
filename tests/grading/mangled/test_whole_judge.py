"""Every mangled notebook through the whole judge: what is legible earns its points, and no more."""

import pytest

from course_lib.grading import Job, Limits, Settings, grade_job
from course_lib.grading.names import used_names
from course_lib.grading.template import TEST
from tests.grading.mangled import MANGLINGS, good_bytes, instructor_notebook, template
from tests.grading.mangled.assignment import as_bytes

TEMPLATE = template()
SETTINGS = Settings(limits=Limits(cpu_seconds=5, wall_seconds=60))


def answer_behind(cell):
    """Return the grade id of the answer that a graded cell is about."""
    if cell.kind != TEST:
        return cell.grade_id
    used = used_names(cell.source)
    answers = [c for c in TEMPLATE.cells if c.kind == "solution" and used.intersection(c.names)]
    return answers[-1].grade_id


def test_there_are_at_least_sixty():
    assert len({mangling.name for mangling in MANGLINGS}) >= 60


@pytest.mark.parametrize("mangling", MANGLINGS, ids=lambda mangling: mangling.name)
def test_legible_answers_earn_their_points(mangling):
    job = Job(as_bytes(instructor_notebook()), mangling.mangle(good_bytes()), settings=SETTINGS)
    result = grade_job(job)

    graded = [cell for cell in TEMPLATE.cells if cell.graded]
    assert [cell.grade_id for cell in result.cells] == [cell.grade_id for cell in graded]
    for cell, score in zip(graded, result.cells, strict=True):
        if cell.kind == "task":
            continue
        full = cell.points if cell.kind == TEST else None
        earned = full if answer_behind(cell) in mangling.earns else 0
        assert score.score == earned, (cell.grade_id, score)
    assert result.needs_look == mangling.needs_look
