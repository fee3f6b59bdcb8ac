"""Parameters by component: the lesson's table, and that nothing is lost or counted twice."""

import pytest

from course_lib.counting import MODELS, params
from course_lib.counting.components import COMPONENTS, params_by_component


def test_toy_is_the_table_of_lesson_14():
    counts = params_by_component(MODELS["toy"])
    assert list(counts.items()) == [
        ("token embedding", 3_200),
        ("positions", 0),
        ("blocks", 4 * 49_728),
        ("final norm", 128),
        ("head", 3_200),
    ]


def test_a_tied_head_stays_in_the_list_with_nothing():
    counts = params_by_component(MODELS["gpt2"])
    assert counts["head"] == 0
    assert counts["positions"] == 786_432
    assert counts["final norm"] == 1_536
    assert counts["blocks"] == 12 * 7_087_872


@pytest.mark.parametrize("name", MODELS)
def test_the_components_are_the_whole_model(name):
    counts = params_by_component(MODELS[name])
    assert tuple(counts) == COMPONENTS
    assert sum(counts.values()) == params(MODELS[name])


def test_a_norm_at_the_token_table_is_not_the_final_norm():
    bloom = MODELS["bloom 560m"]  # a layer norm right after the table: gain and bias
    counts = params_by_component(bloom)
    assert counts["final norm"] == 2 * bloom.d
    assert counts["token embedding"] == bloom.V * bloom.d + 2 * bloom.d
