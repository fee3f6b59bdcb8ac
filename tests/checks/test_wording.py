"""What a note says: each thing once, in plain words, and nothing that is not so."""

import re
from pathlib import Path

import numpy as np
import pytest

from course_lib import gpt, gpt_parameters
from course_lib.checks import EXERCISES, check


def ids_of(report):
    return [d.id for d in report.diagnoses]


def init_with(change):
    """Return an init_gpt whose parameters are changed by a function of P, d and a generator."""

    def init_gpt(V, T, d, L, seed):
        P = gpt_parameters.init_gpt(V, T, d, L, seed)
        change(P, d, np.random.default_rng([seed, 5]))
        return P

    return init_gpt


def rename(P, d, rng):
    for block in P["blocks"]:
        block["w_up"] = block.pop("w_fc")


def add_head(P, d, rng):
    P["head"] = rng.normal(0, 0.02, (d, len(P["wte"])))


def draw_bias(P, d, rng):
    for block in P["blocks"]:
        block["b_fc"] = rng.normal(0, 0.02, 4 * d)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (rename, "Got w_up (not in the list), no w_fc for the names in P['blocks'][0]"),
        (add_head, "Got head (not in the list) for the names in P,"),
        (draw_bias, "Got random for the values of P['blocks'][0]['b_fc'], expected all 0"),
    ],
)
def test_one_wrong_name_or_tensor_is_told_in_a_line(change, words):
    (note,) = check("init_gpt", init_with(change), seed=4, visible=True).diagnoses
    assert words in note.message
    assert len(note.message) < 300


def test_zeros_that_are_one_array_cost_the_part_of_the_statement():
    def share(P, d, rng):
        zeros = np.zeros(d)
        for block in P["blocks"]:
            block["ln1_b"] = block["b_o"] = zeros

    hidden = check("init_gpt", init_with(share), seed=4)
    report = check("init_gpt", init_with(share), seed=4, visible=True)
    assert ids_of(report) == ids_of(hidden) == ["shared_memory"]
    assert report.score == hidden.score == report.max_score - 0.5
    assert "P['blocks'][0]['ln1_b'] and P['blocks'][0]['b_o']" in report.diagnoses[0].message
    assert "Two tensors are the same array" in hidden.diagnoses[0].message


def test_slices_of_one_large_draw_share_no_memory():
    def cut(P, d, rng):
        V, T = len(P["wte"]), len(P["wpe"])
        drawn = rng.normal(0, 0.02, (max(V, T), 2 * d))
        P["wte"] = drawn[:V, :d]
        P["wpe"] = drawn[:T, d:]

    assert check("init_gpt", init_with(cut), seed=4).passed


def test_an_exception_is_told_once():
    def layer_norm(x, g, b):
        reason = "too hard"
        raise ArithmeticError(reason)

    report = check("layer_norm", layer_norm)
    text = str(report)
    assert text.count(": too hard") == 1
    assert text.count("ArithmeticError") == 3  # the title, the student's line, what it says
    assert "ArithmeticError" in report.error


def test_a_named_mistake_is_not_hidden_by_an_exception_that_it_causes():
    def gpt_logits(P, idx, n_head):
        T = idx.shape[1]
        rows = P["wpe"][1 : T + 1]
        if len(rows) < T:
            raise ValueError("operands could not be broadcast together")
        return gpt.gpt_logits({**P, "wpe": rows}, idx, n_head)

    report = check("gpt_logits", gpt_logits)
    assert report.diagnoses[0].title == "Positions start at 1 instead of 0"
    assert report.error is None
    assert not report.passed


def test_writing_into_an_input_is_told_without_an_exception_about_read_only_arrays():
    def layer_norm(x, g, b):
        x -= x.mean(axis=-1, keepdims=True)
        return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * g + b

    report = check("layer_norm", layer_norm)
    assert ids_of(report) == ["changes_inputs"]
    assert "read-only" not in str(report)


def test_a_refused_result_gets_one_note():
    def layer_norm(x, g, b):
        x.sort()
        return "normalised"

    def refused(x, g, b):
        x.flat[0] = 1.0
        return np.ma.array(x)

    assert "changes_inputs" in ids_of(check("layer_norm", layer_norm))
    assert ids_of(check("layer_norm", refused)) == ["refused_type"]


def test_code_in_a_note_is_code_in_html():
    html = check("layer_norm", lambda x, g, b: None)._repr_html_()
    assert "<code>return</code>" in html
    assert "`" not in html


def test_titles_and_ticks_do_not_run_together():
    html = check("layer_norm", lambda x, g, b: (x - x) + b)._repr_html_()
    assert "</b>\n<ul" in html


def test_a_share_that_is_not_used_is_named():
    def context_for_attention_share(V, d, L, share=0.9):
        return int(np.ceil(9 * (12 * L * d * d + V * d) / (2 * L * d)))

    report = check("context_for_attention_share", context_for_attention_share)
    assert ids_of(report) == ["share_unused"]


def test_a_context_that_nothing_explains_is_placed_beside_the_right_one():
    def context_for_attention_share(V, d, L, share=0.9):
        return int(np.ceil(share / (1 - share) * (6 * d + 0.37 * V / L)))

    report = check("context_for_attention_share", context_for_attention_share)
    assert re.search(r"At T = [\d,]+ attention's share is 0\.\d+, asked for", str(report))
    assert "T is too small" in str(report)


def test_an_argument_that_comes_back_is_named():
    report = check("layer_norm", lambda x, g, b: x)
    assert [d.title for d in report.diagnoses] == ["x comes back unchanged"]
    assert report.score == 0


def test_what_to_read_again_is_a_link_to_a_lesson_that_is_there():
    lessons = Path(__file__).parents[2] / "notebooks" / "lesson-14"
    for exercise in EXERCISES.values():
        for section in {exercise.section, *(s.section for s in exercise.switches)}:
            assert (lessons / f"{section.partition(',')[0]}.ipynb").is_file(), section
    html = check("layer_norm", lambda x, g, b: x)._repr_html_()
    assert "<a href='../../notebooks/lesson-14/01_forward_pass.ipynb'>01_forward_pass</a>" in html


def test_a_dict_of_parameters_is_never_an_argument_that_came_back():
    def init_gpt(V, T, d, L, seed):
        P = gpt_parameters.init_gpt(V, T, d, L, seed)
        for block in P["blocks"]:
            block["w_fc"] = np.cumsum(block["w_fc"], axis=0)
        return P

    report = check("init_gpt", init_gpt, seed=4)
    assert not report.passed
    assert "unchanged" not in ids_of(report)


def test_zeros_and_ones_are_no_boolean_array():
    def rows_that_change(T, t, masked=True):
        return (np.arange(T) >= t).astype(int) if masked else np.ones(T, int)

    report = check("rows_that_change", rows_that_change)
    assert [d.title for d in report.diagnoses] == [
        "Numbers 0 and 1 are returned, not True and False"
    ]
    assert 0 < report.score < report.max_score


def test_one_maximum_is_not_taken_for_none():
    def causal_softmax(m, s):
        w = np.exp(s - s.max())
        return w / w.sum(axis=-1, keepdims=True)

    model = type("Wrong", (EXERCISES["gpt_logits"].reference,), {"softmax": causal_softmax})()
    report = check("gpt_logits", model.answer, seed=4)
    assert ids_of(report) == ["softmax_one_maximum"]
