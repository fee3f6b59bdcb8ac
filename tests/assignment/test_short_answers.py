"""Numbers, names and lists: what is right, and which mistake a wrong one is called."""

from pathlib import Path

import numpy as np
import pytest

from course_lib.assignment import score_answers
from course_lib.assignment.questions import QUESTIONS
from course_lib.checks import EXERCISES, max_score
from course_lib.counting import MODELS

FIRST = [0.8755, 0.5218, 0.3487, 0.2525, 0.2037, 0.1923, 0.2031, 0.2280]
LAST = [0.1431, 0.1309, 0.1197, 0.1087, 0.0898, 0.0952, 0.1069, 0.5508]
MASK_IN_FIRST_RUN_ONLY = [1.9955, 1.7493, 1.7295, 1.0787, 1.0629, 0.9459, 0.7717, 0.7944]

RIGHT = {
    "gpt2_crossover": {"crossover_blocks": 5.4253, "gpt2_small_is": "above"},
    "gpt3_tying": {"tied_total": 174_563_733_504, "untied_total": 175_181_291_520,
                   "fraction_saved": 0.0035253},
    "long_context": {"share_4096": 0.37933, "share_32768": 0.83020, "share_131072": 0.95135,
                     "context_90": 60_319},
    "causality_experiment": {"change_first": FIRST, "change_last_unmasked": LAST},
    "challenge_scores": {"scores_model": "TinyLlama", "scores_T": 1, "score_count": 1,
                         "weight_count": 1},
    "challenge_mlp": {"mlp_model": "llama 3 70b", "mlp_fraction": 0.799},
    "challenge_keys": {"grouped_model": "meta-llama/Llama-3.1-8B", "key_size": 4_194_304,
                       "query_size": 16_777_216},
}  # fmt: skip
RIGHT["challenge_scores"] = {
    "scores_model": "Gemma 2B", "scores_T": 8_192, "score_count": 67_108_864,
    "weight_count": 9_437_184,
}  # fmt: skip


def report(question, **changes):
    return score_answers(question, **RIGHT[question] | changes).report


@pytest.mark.parametrize("question", QUESTIONS)
def test_right_answers_earn_everything(question):
    found = report(question)
    assert found.passed, found
    assert found.score == found.max_score == QUESTIONS[question].max_score


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_answer_earns_nothing_and_says_what_to_do(question):
    empty = dict.fromkeys(QUESTIONS[question].names)
    found = score_answers(question, **empty).report
    assert found.score == 0
    assert [d.id for d in found.diagnoses] == ["not_written"]
    assert all(name in found.diagnoses[0].message for name in empty)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "junk",
    [
        "", "seven", -1, 0, 10**400, -(10**400), float("nan"), float("inf"), True, [], [1, 2],
        {"a": 1}, object(), print, np.ones(3), [float("nan")] * 8, ["x"] * 8, [10**400] * 8,
        np.array(["x"]), "gpt2" * 10_000, lambda: 5, Exception("x"), np.float64(0.3), 2**70,
    ],
    ids=lambda j: type(j).__name__,
)  # fmt: skip
def test_junk_is_no_crash_and_earns_nothing(question, junk):
    found = score_answers(question, **dict.fromkeys(QUESTIONS[question].names, junk)).report
    assert found.score == 0
    assert found.diagnoses
    found._repr_html_()


@pytest.mark.parametrize(
    ("question", "changes", "said"),
    [
        ("gpt2_crossover", {"crossover_blocks": 6}, "rounded up"),
        ("gpt2_crossover", {"crossover_blocks": 10.8507}, "two tables"),
        ("gpt2_crossover", {"gpt2_small_is": "below"}, "is not below"),
        ("gpt3_tying", {"tied_total": 175_181_291_520}, "this is the untied total"),
        ("gpt3_tying", {"fraction_saved": 0.0035377}, "divided by the tied total"),
        ("gpt3_tying", {"fraction_saved": 0.35253}, "in percent"),
        ("gpt3_tying", {"fraction_saved": 0.99647}, "this is what remains"),
        ("gpt3_tying", {"tied_total": 175e9}, "not exact enough"),
        ("long_context", {"share_4096": 0.61116}, "divided by the weights' FLOPs"),
        ("long_context", {"share_4096": 0.47059}, "head is missing"),
        ("long_context", {"share_32768": 83.020}, "in percent"),
        ("long_context", {"context_90": 67_022}, "attention is 10 times"),
        ("long_context", {"context_90": 120_638}, "half of attention is missing"),
        ("gpt3_tying", {"fraction_saved": 0.35}, "in percent"),
        ("long_context", {"share_4096": 37.9}, "in percent"),
        ("causality_experiment", {"change_first": LAST}, "what the other experiment gives"),
        ("causality_experiment", {"change_first": FIRST[::-1]}, "other values"),
        ("causality_experiment", {"change_last_unmasked": MASK_IN_FIRST_RUN_ONLY},
         "one run has the mask and the other has none"),
        ("causality_experiment", {"change_last_unmasked": [0] * 7 + [0.5199]},
         "mask still in place"),
        ("causality_experiment", {"change_first": [True] * 8}, "not by how much"),
        ("causality_experiment", {"change_first": [0]}, "no list of eight numbers"),
        ("challenge_scores", {"scores_T": 3_000}, "not more numbers"),
        ("challenge_scores", {"scores_T": 8_193}, "more than Gemma 2B can read"),
        ("challenge_scores", {"scores_model": "gpt 2 smal"}, "near it: GPT-2 small"),
        ("challenge_scores", {"score_count": 67_108_864 * 8}, "all heads are counted"),
        ("challenge_scores", {"weight_count": 9_437_184 * 18}, "all blocks are counted"),
        ("challenge_scores", {"score_count": 8_192 * 8_193 // 2}, "half of the matrix"),
        ("challenge_scores", {"score_count": 1_234_567}, "1,234,567 is not right"),
        ("challenge_scores", {"weight_count": 2048 * 2048}, "alone"),
        ("challenge_mlp", {"mlp_model": "gpt2"}, "has 45.5% in its MLPs"),
        ("challenge_mlp", {"mlp_fraction": 0.82353}, "share of a block"),
        ("challenge_mlp", {"mlp_fraction": 0.8}, "at least three digits"),
        ("challenge_keys", {"grouped_model": "gpt2"}, "both have 589,824 entries"),
        ("challenge_keys", {"grouped_model": "deepseek-v3"}, "stores no W_K and W_Q"),
        ("challenge_keys", {"key_size": 4_194_304 * 32}, "all blocks are counted"),
        ("challenge_keys", {"key_size": 16_777_216}, "this is W_Q"),
        ("challenge_keys", {"query_size": 4_194_304}, "this is W_K"),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_called_by_its_mistake(question, changes, said):
    found = report(question, **changes)
    assert found.score < found.max_score
    assert said in str(found)


def test_one_wrong_answer_costs_its_own_points_only():
    assert report("long_context", share_32768=0.9).score == pytest.approx(1.6)
    assert report("challenge_keys", key_size=7).score == 1.5


def test_gpt3_may_be_counted_with_biases_and_positions():
    exact = {"tied_total": 174_604_259_328, "untied_total": 175_221_817_344}
    assert report("gpt3_tying", **exact, fraction_saved=0.00352444).passed


def test_attention_weights_may_be_counted_without_biases():
    with_biases, without = 4 * 2560**2 + 4 * 2560, 4 * 2560**2
    for count in (with_biases, without):
        found = score_answers(
            "challenge_scores",
            scores_model="phi-2",
            scores_T=10,
            score_count=100,
            weight_count=count,
        ).report
        assert found.score == 1  # the numbers are right, the challenge is not met


def test_lists_may_be_arrays_or_tuples():
    assert report("causality_experiment", change_first=np.array(FIRST)).passed
    assert report("causality_experiment", change_first=tuple(FIRST)).passed


def test_rows_count_although_the_sizes_are_off():
    assert report("causality_experiment", change_first=[0.5] * 8).score == 1.5


@pytest.mark.parametrize("name", list(MODELS))
def test_the_challenges_take_every_model_of_the_table(name):
    for question, names in (
        ("challenge_scores", {"scores_model": name, "scores_T": 64}),
        ("challenge_mlp", {"mlp_model": name}),
        ("challenge_keys", {"grouped_model": name}),
    ):
        empty = dict.fromkeys(QUESTIONS[question].names)
        score_answers(question, **empty | names)


def test_the_instructors_page_says_how_many_points_stand_on_hidden_inputs() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "instructors.md").read_text("utf-8")
    functions = sum(max_score(name) for name in EXERCISES)
    answers = sum(question.max_score for question in QUESTIONS.values())
    assert f"{functions:g} of the 60 points" in page
    assert f"{answers:g} points, which are the same for everyone" in page
    assert functions + answers + 5 == 60
