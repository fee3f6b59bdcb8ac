"""The corpus is what it says: right files agree with the engine, wrong files show their mistake."""

from __future__ import annotations

import copy
import hashlib
import sys
import types
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.checks.corpus import inputs
from tests.checks.corpus.headers import EXERCISES, corpus_files, read_header

LEAST = {
    "gpt_logits": (45, 110),
    "tied_lm_loss_and_grad": (14, 45),
    "count_gpt2_params": (10, 28),
    "the rest": (18, 50),
}


def files(kind):
    return [
        pytest.param(exercise, path, id=f"{exercise}-{path.stem}")
        for exercise in EXERCISES
        for path in corpus_files(exercise, kind)
    ]


def load(path, name):
    module = types.ModuleType(path.stem)
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    sys.modules[path.stem] = module  # dataclasses look their module up
    try:
        exec(code, module.__dict__)
    finally:
        del sys.modules[path.stem]
    return getattr(module, name)


def agree(got, want, rtol):
    if isinstance(want, dict):
        return (
            isinstance(got, dict)
            and got.keys() == want.keys()
            and all(agree(got[k], want[k], rtol) for k in want)
        )
    if isinstance(want, list | tuple):
        return (
            isinstance(got, list | tuple)
            and len(got) == len(want)
            and all(agree(g, w, rtol) for g, w in zip(got, want, strict=True))
        )
    if isinstance(want, int) and not isinstance(want, bool):
        return isinstance(got, int | np.integer) and not isinstance(got, bool) and got == want
    try:
        got, want = np.asarray(got, dtype=float), np.asarray(want)
    except (TypeError, ValueError):  # None, or a tuple of arrays
        return False
    if got.shape != want.shape:
        return False
    with np.errstate(invalid="ignore"):  # inf - inf is nan, and nan agrees with nothing
        return bool(np.all(np.abs(got - want) <= rtol * max(1.0, np.abs(want).max())))


def same_type(got, want):
    if isinstance(want, tuple):
        return isinstance(got, tuple) and all(map(same_type, got, want))
    if isinstance(want, np.ndarray):
        return isinstance(got, np.ndarray) and got.dtype == want.dtype
    return isinstance(got, float | int | np.number | np.ndarray | dict)


def faults(exercise, path):
    """Everything that is wrong with a submission, found on the inputs of this folder."""
    found = set()
    kept = load(path, exercise)  # goes through all cases in a row; each case has a fresh one too
    for case in inputs.CASES[exercise]:
        try:
            got, changed = first_call(load(path, exercise), case)
        except Exception:
            found.add("values")
            continue
        found |= changed | value_faults(exercise, case, got)
        if not all(steady(kept, case, got, seed) for seed in (7, 8)):
            found.add("state")
    if exercise == "init_gpt" and inputs.init_seed_faults(kept):
        found.add("values")
    if exercise in inputs.GROWING and executed_lines_grow(exercise, path):
        found.add("loop")
    return found


def first_call(function, case):
    """The result of a call, and whether it changed its arguments or NumPy's global generator."""
    args = copy.deepcopy(case.args)
    np.random.seed(12345)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    with np.errstate(all="ignore"):
        got = function(*args, **case.kwargs)
    changed = set() if identical(args, case.args) else {"mutation"}
    reseeded = not np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    return got, changed | ({"state"} if reseeded else set())


def value_faults(exercise, case, got):
    want = inputs.REFERENCE[exercise](*copy.deepcopy(case.args), **case.kwargs)
    if exercise == "init_gpt":  # another draw than the engine's is as good
        return {"values"} if inputs.init_faults(got, want) else set()
    if not agree(got, want, case.rtol):
        return {"values"}
    return set() if case.loose or same_type(got, want) else {"type"}


def steady(function, case, got, seed):
    """Whether a function that has seen other calls gives the same result again."""
    np.random.seed(seed)  # noqa: NPY002
    try:
        with np.errstate(all="ignore"):
            again = function(*copy.deepcopy(case.args), **case.kwargs)
        return agree(again, got, 1e-13)
    except Exception:
        return False


def identical(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(identical(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(identical, a, b))
    return a == b


def executed_lines_grow(exercise, path):
    """Whether a bigger input makes the submission's own code execute more lines."""
    counts = []
    for args in inputs.GROWING[exercise]:
        function = load(path, exercise)
        n = 0

        def trace(frame, event, arg):
            nonlocal n
            if frame.f_code.co_filename != str(path):
                return None
            n += event in ("line", "call")
            return trace

        old = sys.gettrace()
        sys.settrace(trace)
        try:
            with np.errstate(all="ignore"):
                function(*copy.deepcopy(args))
        except Exception:
            return False
        finally:
            sys.settrace(old)
        counts.append(n)
    return len(set(counts)) > 1


@pytest.mark.parametrize(("exercise", "path"), files("right"))
def test_right_file_agrees_with_the_engine(exercise: str, path: Path) -> None:
    assert faults(exercise, path) == set()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("exercise", "path"), files("wrong"))
def test_wrong_file_shows_its_mistake(exercise: str, path: Path) -> None:
    found, shows = faults(exercise, path), read_header(path).shows
    assert shows in found, f"claims {shows}, found {sorted(found) or 'nothing'}"
    if shows in ("mutation", "type", "loop"):
        assert "values" not in found, f"claims {shows}, but a first call is wrong already"


def test_the_corpus_is_large_enough() -> None:
    have = Counter()
    for exercise in EXERCISES:
        group = exercise if exercise in LEAST else "the rest"
        for kind in ("right", "wrong"):
            have[group, kind] += len(corpus_files(exercise, kind))
    for group, (right, wrong) in LEAST.items():
        assert have[group, "right"] >= right, group
        assert have[group, "wrong"] >= wrong, group


def test_no_two_files_are_the_same_program() -> None:
    seen: dict[str, Path] = {}
    for exercise in EXERCISES:
        for kind in ("right", "wrong"):
            for path in corpus_files(exercise, kind):
                code = [line for line in path.read_text().splitlines() if line[:1] != "#"]
                digest = hashlib.sha256("\n".join(code).strip().encode()).hexdigest()
                assert digest not in seen, f"{path} repeats {seen[digest]}"
                seen[digest] = path


def test_a_diagnosis_is_judged_by_whole_words() -> None:
    path = corpus_files("gpt_logits", "wrong")[0].with_name("scale_by_model_width.py")
    header = read_header(path)
    assert header.named_by(["The scores are divided by sqrt(d), not by the head size."])
    assert not header.named_by(["The scores are not divided by √d_k."])
    positions = corpus_files("count_gpt2_params", "wrong")[0].with_name("positions_forgotten.py")
    assert read_header(positions).named_by(["T·d is missing from the count."])
    pair = read_header(path.with_name("pair_sqrt_d_and_eps.py"))
    assert not pair.named_by(["The scores are divided by √d."])
    assert pair.named_by(["The scores are divided by √d.", "LayerNorm's eps is 1e-6."])
