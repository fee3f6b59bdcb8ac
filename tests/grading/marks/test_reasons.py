"""The judge's own sentences are understood, as it words them today."""

from course_lib.grading.feedback.remarks import FOR_INSTRUCTORS, missing_answers
from course_lib.grading.judge.telling import hidden_error, own_error
from course_lib.grading.marks.reasons import in_few_words, raised
from course_lib.grading.result import CellScore
from course_lib.grading.submission.remarks import SENTENCES, remark


def failed(reason, status="failed"):
    return CellScore("f", "code", 0.0, 1, status, reason)


def test_the_type_of_an_exception_is_read_from_the_reason():
    told = {"kinds": ["builtins.ModuleNotFoundError"], "text": "No module named 'nump'"}
    assert raised(failed(own_error(told, {}))) == "ModuleNotFoundError"
    assert in_few_words(failed(own_error(told, {}))) == "ModuleNotFoundError in your answer"
    assert raised(failed(hidden_error(told, {}))) == ""  # told as "an exception"
    common = {"kinds": ["builtins.KeyError"], "text": "a"}
    assert raised(failed(hidden_error(common, {}))) == "KeyError"


def test_an_exception_of_the_students_own_has_no_type_to_count():
    assert raised(failed("Your code raised an exception: x")) == ""


def test_other_reasons_are_told_as_they_are_if_they_are_short():
    assert in_few_words(failed("A hidden test did not pass.")) == "A hidden test did not pass."
    assert in_few_words(failed("x" * 500)) == ""
    assert in_few_words(failed("Not answered yet.", "unanswered")) == ""


def test_the_names_of_missing_answers_are_read_from_the_remark():
    said = remark("missing_answer", *(f"answer_{n}" for n in range(9)))
    notebook = {"metadata": {"judge": {"remarks": [{"kind": said.kind, "text": said.text}]}}}
    assert missing_answers(notebook) == {f"answer_{n}" for n in range(6)}


def test_nothing_that_costs_points_is_kept_from_students():
    looks = {kind for kind in FOR_INSTRUCTORS if SENTENCES.get(kind, ("", False))[1]}
    assert looks == {"missing_answer", "found_by_position"}  # the first is told at the answer
