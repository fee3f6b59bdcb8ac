"""What is said of a notebook that is not there, and of one that is empty."""

from course_lib.grading.grade import grade_job
from course_lib.grading.job import Job
from course_lib.grading.result import Remark
from tests.grading.core.judged import SHORT, as_bytes, checked, solution

SOURCE = as_bytes([solution("f_answer", "f = 1"), checked("f", "assert f == 1")])
GONE = Remark("missing_file", "There is no nb.ipynb.")


def test_a_file_that_is_not_there_is_not_called_empty():
    result = grade_job(Job(SOURCE, None, settings=SHORT, remarks=(GONE,)))
    assert result.remarks == (GONE,)
    assert result.notebook["metadata"]["judge"]["remarks"][0]["kind"] == "missing_file"
    assert [cell.status for cell in result.cells] == ["missing"]


def test_an_empty_file_is_called_so():
    result = grade_job(Job(SOURCE, b"", settings=SHORT))
    assert [remark.kind for remark in result.remarks] == ["empty_file"]


def test_without_a_remark_on_the_file_something_is_said_all_the_same():
    assert grade_job(Job(SOURCE, None, settings=SHORT)).needs_look
