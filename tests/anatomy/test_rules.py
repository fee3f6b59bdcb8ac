"""The rules of the page: derived from counting, saved, and complete."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from course_lib.anatomy import rules
from course_lib.anatomy.payload import as_fields, from_fields, payload
from course_lib.anatomy.rules import as_json, derive, listed, random_config, saved
from course_lib.counting import MODELS, tensors


def test_the_saved_rules_are_those_of_counting_today():
    assert saved() == derive(), "run: python -m course_lib.anatomy --rules"
    assert rules.RULES.read_text(encoding="utf-8") == as_json(saved())


@pytest.mark.parametrize("name", MODELS)
def test_the_rules_list_as_many_tensors_as_counting(name):
    config = MODELS[name]
    assert sum(listed(saved(), config).values()) == len(tensors(config))


def test_a_rule_too_many_or_too_few_is_noticed():
    with pytest.raises(AssertionError, match="missing"):
        rules._check(saved()[1:], replace(MODELS["gpt2"], d_embed=512, published=None))


def test_the_drawn_configurations_show_every_rule(seed):
    rng = random.Random(seed)
    seen: Counter = Counter()
    for _ in range(1500):
        seen += listed(saved(), random_config(rng))
    kinds = {(r["name"], r["part"], r["kind"], tuple(r["shape"]), r["matmul"]) for r in saved()}
    assert set(seen) == kinds


@pytest.mark.parametrize("name", MODELS)
def test_the_fields_on_the_page_give_the_model_back(name):
    config = MODELS[name]
    fields = as_fields(config)
    again = from_fields(fields, {"name": config.name})
    assert again == config
    assert (fields.get("published"), fields["source"]) == (config.published, config.source)


def test_the_payload_names_no_address_and_stays_small():
    text = str(payload())
    assert "http" not in text
    assert len(text) < 100_000
