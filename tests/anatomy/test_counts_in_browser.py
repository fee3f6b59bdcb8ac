"""The page's own arithmetic, run in the browser, against course_lib.counting."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import fields
from itertools import chain
from math import prod

import pytest

from course_lib.anatomy.payload import as_fields, payload
from course_lib.anatomy.rules import random_config
from course_lib.counting import (
    MODELS,
    ModelConfig,
    active_params,
    forward_flops,
    kv_cache_bytes,
    params,
    params_by_part,
    params_without_embeddings,
    tensors,
)
from course_lib.counting.hub_config import ConfigError, from_hub, parse
from course_lib.counting.hub_families import FAMILIES
from tests.counting.test_counting_foreign_files import REFUSED, SAID
from tests.counting.test_counting_hub_config import BROKEN, RELEASED
from tests.counting.test_counting_published_configs import PUBLISHED

pytestmark = pytest.mark.browser

SUMMARY = """([models, data, T]) => models.map((fields) => {
    const m = lib.modelOf(fields, data);
    const at = T ?? m.config.T;
    return {
        tensors: m.all.map((t) => [t.path, t.part, t.kind, t.symbols, t.shape, t.count, t.active,
            t.matmul, t.times]),
        params: m.params, active: m.active, without: m.withoutEmbeddings, parts: m.parts,
        flops: lib.flops(m, at).total, cache: lib.kvCacheBytes(m, at),
        boxes: lib.holders(m).map((key) => lib.partOf(m, key, at)).map((p) => [p.total, p.flops]),
    };
})"""


def _python(c: ModelConfig, T: int) -> dict:
    listed: Counter = Counter()
    for t in tensors(c):
        path = t.name if t.block is None else t.name.removeprefix(f"blocks.{t.block}.")
        listed[path, t.part, t.kind, t.symbols, t.shape, t.count, t.active, t.matmul] += 1
    return {
        "tensors": listed,
        "params": params(c),
        "active": active_params(c),
        "without": params_without_embeddings(c),
        "parts": params_by_part(c),
        "flops": forward_flops(c, T),
        "cache": kv_cache_bytes(c, T),
    }


def _compare(page, configs, T=None):
    models = [as_fields(c) for c in configs]
    for c, got in zip(configs, page.evaluate(SUMMARY, [models, payload(), T]), strict=True):
        boxes = got.pop("boxes")
        assert sum(total for total, _ in boxes) == got["params"], c
        assert sum(cost for _, cost in boxes) == got["flops"], c
        listed: Counter = Counter()
        for *what, times in got["tensors"]:
            what[3], what[4] = tuple(what[3]), tuple(what[4])
            listed[tuple(what)] += times
        got["tensors"] = listed
        assert got == _python(c, T or c.T), c


@pytest.mark.parametrize("T", [None, 8])
def test_every_model_of_the_table(counting_in_browser, T):
    _compare(counting_in_browser, list(MODELS.values()), T)


def test_models_that_nobody_published(counting_in_browser, seed):
    rng = random.Random(seed)
    _compare(counting_in_browser, [random_config(rng) for _ in range(250)])


def test_refused_exactly_where_python_refuses(counting_in_browser, seed):
    """One field of a valid model is set to something else; both accept it or both give a reason."""
    rng = random.Random(seed)
    values = [0, 1, 2, 3, 7, -1, 2.5, "many", True, None, 20_000, "post", "two norms", "rotary"]
    names = [f.name for f in fields(ModelConfig) if f.name not in _TEXTS]
    tried, expected = [], []
    for _ in range(800):
        given = as_fields(random_config(rng)) | {rng.choice(names): rng.choice(values)}
        given = {k: v for k, v in given.items() if v is not None}
        if isinstance(given.get("biases", []), list) and isinstance(
            given.get("dense_blocks", []), list
        ):
            tried.append(given)
            expected.append(_accepted(given))
    got = counting_in_browser.evaluate(
        """([models, data]) => models.map((fields) => {
            try { lib.complete(fields, data); return true; }
            catch (error) { if (error instanceof lib.ConfigProblem) return false; throw error; }
        })""",
        [tried, payload()],
    )
    assert {True, False} == set(expected)
    assert [t for t, g, e in zip(tried, got, expected, strict=True) if g != e] == []


_TEXTS = ("name", "source", "published", "note", "V_used", "biases", "dense_blocks")


def _accepted(given):
    try:
        ModelConfig(**given)
    except (TypeError, ValueError):
        return False
    return True


def test_a_model_too_large_for_exact_doubles_is_refused_not_rounded(counting_in_browser):
    config = as_fields(ModelConfig(V=10**9, T=10**6, d=10**6, L=10_000, h=1000))
    reason = counting_in_browser.evaluate(
        """([fields, data]) => {
            try { lib.modelOf(fields, data); } catch (error) { return error.message; }
        }""",
        [config, payload()],
    )
    assert reason == "that model is too large for this page to count exactly"


def _read(page, texts):
    return page.evaluate(
        """([texts, data]) => texts.map((text) => {
            try {
                const fields = lib.fromHub(text, data);
                return { params: lib.modelOf(fields, data).params, note: fields.note };
            } catch (error) { return { refused: error.message }; }
        })""",
        [texts, payload()],
    )


def _read_by_python(text):
    try:
        config = from_hub(parse(text))
    except ConfigError as error:
        return {"refused": str(error)}
    return {"params": params(config), "note": config.note}


def _least(kind):
    """The shortest file of a family; only DeepSeek-V2's needs a key besides its type."""
    return {"model_type": kind} | ({"num_experts_per_tok": 2} if kind == "deepseek_v2" else {})


def _compare_reading(page, texts):
    wanted = [_read_by_python(text) for text in texts]
    for text, ours, theirs in zip(texts, wanted, _read(page, texts), strict=True):
        assert theirs == ours, text
    return wanted


def test_hub_configs_are_read_as_python_reads_them(counting_in_browser):
    """Honest files and foreign ones: the same count with the same note, or the same reason."""
    files = [values for _, values in RELEASED.values()]
    files += [model["config"] for model in PUBLISHED.values()]
    files += [_least(kind) for kind in FAMILIES]
    counted = len(files)
    files += [file for file, *_ in (*REFUSED.values(), *SAID.values(), *BROKEN)]
    read = _compare_reading(counting_in_browser, [json.dumps(values) for values in files])
    assert all("params" in one for one in read[:counted])


def test_hub_configs_with_other_values(counting_in_browser, seed):
    """Honest files with a key or two set to something else, wrapped or not."""
    rng = random.Random(seed)
    tables = payload()["hub"]
    own = [key for defaults in tables["defaults"].values() for key in defaults]
    foreign = [key for file, *_ in (*REFUSED.values(), *SAID.values()) for key in file]
    keys = [*own, *foreign, *tables["known"]["harmless"], *chain(*tables["known"]["same_size"])]
    values = [
        None,
        True,
        False,
        0,
        1,
        2,
        64.0,
        -1,
        1.5,
        1e-5,
        2**53,
        10_000,
        "x",
        "é😀",
        "<\ud800>",
    ]
    values += [[], {}, [1], {"a": 1}, ["LlamaModel"], {"quant_method": "gptq", "bits": 4}]
    honest = [model["config"] for model in PUBLISHED.values()] + [_least(kind) for kind in FAMILIES]
    tried = []
    for _ in range(800):
        file = dict(rng.choice(honest))
        for _ in range(rng.choice([1, 1, 2])):
            file[rng.choice(keys)] = rng.choice(values)
        around = {"model_type": "llava", "text_config": file, rng.choice(own): rng.choice(values)}
        tried.append(rng.choice([file, file, around]))
    read = _compare_reading(counting_in_browser, [json.dumps(values) for values in tried])
    assert 100 < sum("refused" in one for one in read) < 700


@pytest.mark.parametrize("listed", ["x", 3, ["a"], [-1], [1.5], [[["a"], 3]], [[["a"], 24]], [3]])
def test_lists_about_blocks_are_read_or_refused_as_python_does(counting_in_browser, listed):
    files = [
        {"model_type": "qwen3_moe", "mlp_only_layers": listed},
        {"model_type": "gpt_neo", "attention_types": listed},
    ]
    _compare_reading(counting_in_browser, [json.dumps(values) for values in files])


NO_DECODERS = [
    *("", "no", "[]", "7", "[1]", "{}", "{'a': 1}", '{"a": NaN}', '{"a": 1,}', '"\ud83d\ude00"'),
    *('{"model_type": "t5"}', '{"model_type": 3}', '{"model_type": "constructor"}'),
    *('{"model_type": "GPT2"}', '{"model_type": "caf\u00e9 <b>"}', '{"model_type": "\\ud800"}'),
    *('{"model_type": "mistrall"}', '{"model_type": "mixtrxl"}', '{"model_type": "mixtral1"}'),
    *('{"text_config": 0}', '{"text_config": [], "model_type": "x"}', '{"text_config": {}}'),
]


def test_what_is_no_decoder_config_is_refused_in_the_same_words(counting_in_browser):
    for result in _compare_reading(counting_in_browser, NO_DECODERS):
        assert len(result["refused"]) > 15


def test_shapes_are_evaluated_with_brackets_and_order(counting_in_browser):
    sizes = {"h": 3, "d_k": 10, "d_rope": 4, "d_v": 5, "T": 7}
    got = counting_in_browser.evaluate(
        "(c) => ['h·(d_k - d_rope + d_v)', 'd_k + h·d_v', 'T + 2', 'd_k - d_rope - d_v'].map("
        "(s) => lib.evaluate(s, c))",
        sizes,
    )
    assert got == [33, 25, 9, 1]
    assert prod(got) > 0
