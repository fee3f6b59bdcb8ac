"""One output for people and for nbgrader, and the seed of hidden inputs."""

import json
import sys
import warnings
from html import unescape

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbformat.v4 import new_code_cell, new_output
from nbgrader.utils import determine_grade

from course_lib.assignment import hidden_inputs, score_answers, score_function
from course_lib.checks import VISIBLE_SEED, check, exercises


def width_times_four(d):
    return 4 * d


def half_a_layer_norm(x, g, b):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g


def cell_with(result, points):
    """Make a test cell that holds a result as IPython would store it."""
    data, metadata = InteractiveShell.instance().display_formatter.format(result)
    json.dumps([data, metadata])
    output = new_output("execute_result", data=data, metadata=metadata, execution_count=1)
    mark = {"grade": True, "solution": False, "locked": True, "grade_id": "x", "points": points}
    return new_code_cell(outputs=[output], metadata={"nbgrader": mark})


@pytest.mark.parametrize(
    ("name", "function", "points"),
    [
        ("crossover_context", width_times_four, 1),
        ("crossover_context", lambda d: 2 * d, 0),
        ("crossover_context", lambda d: None, 0),
        ("crossover_context", lambda d: 1 / 0, 0),
    ],
)
def test_nbgrader_reads_the_points_from_the_result(name, function, points):
    assert determine_grade(cell_with(score_function(name, function), 1)) == (points, 1)


def test_nbgrader_reads_partial_credit():
    result = score_function("layer_norm", half_a_layer_norm)
    points, most = determine_grade(cell_with(result, 2))
    assert 0 < points < most == 2
    assert points == result.report.score


def test_people_see_the_report_and_the_mistake_by_name():
    cell = cell_with(score_function("layer_norm", half_a_layer_norm), 2)
    html = unescape(cell.outputs[0].data["text/html"])
    assert check("layer_norm", half_a_layer_norm).diagnoses[0].title in html
    assert "of 2 points" in html


def test_the_seed_is_recorded_beside_the_result_and_not_shown():
    cell = cell_with(score_function("crossover_context", lambda d: 2 * d, seed=987654), 1)
    output = cell.outputs[0]
    assert output.metadata["course"] == {
        "exercise": "crossover_context",
        "score": 0,
        "seed": "987654",
    }
    assert "987654" not in json.dumps(output.data)


def test_the_courses_own_function_earns_nothing():
    from course_lib.counting import crossover_context

    result = score_function("crossover_context", crossover_context)
    assert result.report.score == 0
    assert [d.id for d in result.report.diagnoses] == ["not_your_own"]


def test_nor_does_a_wrapper_around_it():
    from course_lib import gpt_logits

    def disguised(P, idx, n_head):
        return 1 * gpt_logits(P, idx, n_head)

    result = score_function("gpt_logits", disguised)
    assert result.report.score == 0
    assert "course_lib.gpt.gpt_logits" in result.report.diagnoses[0].message


def test_a_profiler_of_the_student_is_left_in_place():
    def profiler(*_):
        return None

    sys.setprofile(profiler)
    try:
        score_function("crossover_context", width_times_four)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)


def test_what_a_function_writes_to_stderr_costs_nothing(capsys):
    def chatty(d):
        print("width", d, file=sys.stderr)
        warnings.warn("and here", stacklevel=1)
        return 4 * d

    assert score_function("crossover_context", chatty).report.passed
    said = capsys.readouterr()
    assert said.err == ""
    assert "width" in said.out


def test_answers_must_be_those_of_the_question():
    with pytest.raises(TypeError, match="has the answers crossover_blocks, gpt2_small_is"):
        score_answers("gpt2_crossover", crossover=5.4)


def test_a_seed_that_is_set_is_the_one_used(monkeypatch):
    monkeypatch.setenv("COURSE_HIDDEN_SEED", "20251")
    hidden = hidden_inputs.on_hidden_inputs(score_function)
    report = hidden("crossover_context", lambda d: 2 * d).report
    assert report.seed == 20251
    assert not report.visible


@pytest.mark.parametrize("text", ["14", "999", "-5", str(2**128), "1e6", "", "seed", "²³⁴⁵"])
def test_the_visible_seed_and_other_nonsense_are_refused(monkeypatch, text):
    monkeypatch.setenv("COURSE_HIDDEN_SEED", text)
    with pytest.raises(ValueError, match="COURSE_HIDDEN_SEED must be a whole number from 1,000"):
        hidden_inputs.hidden_seed()


def test_a_drawn_seed_is_kept_for_the_notebook_and_is_never_the_visible_one(monkeypatch):
    monkeypatch.delenv("COURSE_HIDDEN_SEED", raising=False)
    assert hidden_inputs.hidden_seed() == hidden_inputs.hidden_seed()
    drawn = set()
    for _ in range(50):
        hidden_inputs._drawn.cache_clear()
        drawn.add(hidden_inputs.hidden_seed())
    assert len(drawn) > 45
    assert min(drawn) >= 1000 > VISIBLE_SEED


@pytest.mark.parametrize("name", exercises())
def test_hidden_inputs_are_others_than_the_visible_ones(name):
    from course_lib.checks.exercises import EXERCISES

    def first_inputs(seed):
        return [repr(case.calls) for case in EXERCISES[name].make_cases(seed)]

    visible, hidden = first_inputs(VISIBLE_SEED), first_inputs(20251)
    fixed = sum(case in visible for case in hidden)
    assert fixed < len(hidden) / 2
