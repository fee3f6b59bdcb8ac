"""No file, however hostile, makes reading raise, take long or need much memory."""

from __future__ import annotations

import json
import struct
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.grading.submission import Submission, read_submission
from course_lib.grading.submission.cells import clean
from course_lib.grading.submission.notebook_json import read_notebook
from tests.grading.mangled import MANGLINGS, good_bytes, template

TEMPLATE = template()
GOOD = good_bytes()
MANGLED = [GOOD, *(m.mangle(GOOD) for m in MANGLINGS if len(m.mangle(GOOD)) < 100_000)]


def check(submission: Submission) -> None:
    """Check what holds for every submission."""
    assert set(submission.answers) <= {cell.grade_id for cell in TEMPLATE.cells if cell.answered}
    for answer in submission.answers.values():
        answer.source.encode()
        assert "\0" not in answer.source
        assert "\r" not in answer.source
        assert answer.found_by in ("grade id", "name", "position", "text")
    for cell in submission.extra:
        cell.source.encode()
        assert -1 <= cell.after < len(TEMPLATE.cells)
        assert cell.cell_type in ("code", "markdown", "raw")
    if not submission.legible:
        assert not submission.answers
        assert not submission.extra
        assert any(remark.needs_look for remark in submission.remarks)
    assert all(remark.text.isprintable() for remark in submission.remarks)


# ---------------------------------------------------------------- random damage


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes):
    check(read_submission(data, TEMPLATE))
    check(read_submission(b'{"cells": [' + data, TEMPLATE))


@given(st.text(max_size=300), st.sampled_from(["", "# %%\n", "# In[1]:\n", "# +\n", "```python\n"]))
def test_any_text(text: str, beginning: str):
    check(read_submission((beginning + text).encode("utf-8", "surrogatepass"), TEMPLATE))


@given(st.data())
@settings(max_examples=150)
def test_any_damage_to_a_mangled_notebook(data: st.DataObject):
    parts = bytearray(data.draw(st.sampled_from(MANGLED)))
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(parts)))
        end = min(len(parts), start + data.draw(st.sampled_from([0, 1, 2, 10, 1000])))
        new = data.draw(
            st.sampled_from(
                [b"", b'"', b"{", b"}", b"[", b"]", b",", b"\\", b"\0", b"\xff", b"null"]
            )
            | st.binary(max_size=20)
        )
        parts[start:end] = new
    check(read_submission(bytes(parts), TEMPLATE))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.data())
@settings(max_examples=150)
def test_any_json_in_place_of_any_field(data: st.DataObject):
    notebook: Any = json.loads(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        cell = data.draw(st.sampled_from(notebook["cells"]))
        name = data.draw(st.sampled_from(["cell_type", "id", "metadata", "source", "outputs"]))
        cell[name] = data.draw(JSON)
        if data.draw(st.booleans()):
            cell["metadata"] = {"nbgrader": data.draw(JSON), "tags": data.draw(JSON)}
    notebook["metadata"] = data.draw(JSON)
    notebook["nbformat"] = data.draw(JSON)
    check(read_submission(json.dumps(notebook).encode(), TEMPLATE))


@given(st.lists(st.sampled_from(json.loads(GOOD)["cells"]), max_size=30))
def test_any_order_and_number_of_the_good_cells(cells: list[Any]):
    submission = read_submission(json.dumps({"cells": cells, "nbformat": 4}).encode(), TEMPLATE)

    check(submission)
    handed_in = {one["metadata"].get("nbgrader", {}).get("grade_id") for one in cells}
    answered = {cell.grade_id for cell in TEMPLATE.cells if cell.answered}
    assert set(submission.answers) == answered & handed_in
    assert all(answer.changed for answer in submission.answers.values())


# ---------------------------------------------------------------- time and memory

MEGABYTE = 1_000_000


def with_output(output: bytes) -> bytes:
    return GOOD.replace(b'"outputs": []', b'"outputs": ' + output, 1)


def cells(*sources: str) -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", "source": s} for s in sources]}).encode()


def archive_of(entries: int) -> bytes:
    """Make a zip archive of so many empty files, quickly."""
    header = b"PK\1\2" + bytes(24) + struct.pack("<H", 1) + bytes(16) + b"x"
    size = entries * len(header)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, entries % 2**16, entries % 2**16, size, 0, 0)
    return header * entries + end


HOSTILE: dict[str, Callable[[], bytes]] = {
    "brackets": lambda: with_output(b"[" * 10 * MEGABYTE),
    "pairs of brackets": lambda: with_output(b"[" + b"[[[1]]]," * MEGABYTE + b"]"),
    "empty cells": lambda: b'{"cells":[' + b"{}," * 3 * MEGABYTE,
    "small cells": lambda: b'{"cells":[' + b'{"source":"x=1"},' * MEGABYTE,
    "no cells": lambda: b'{"cells":[' + b"1," * 3 * MEGABYTE,
    "keys": lambda: b"{" + b'"a":1,' * 2 * MEGABYTE,
    "open strings": lambda: b'{"cells":[' + b'{"cell_type":"code","source":"' * 300_000,
    "conflicts": lambda: b"{\n" + b"<<<<<<< a\n=======\n>>>>>>> b\n" * 300_000,
    "signs of equality": lambda: b"a=" * MEGABYTE,
    "parentheses": lambda: b"(" * MEGABYTE,
    "statements": lambda: b"x=1\n\n" * MEGABYTE,
    "marks": lambda: b"# %%\n" * MEGABYTE,
    "open quotes": lambda: cells("'''\\' \u00a0" * 100_000),
    "commas": lambda: cells("x," * 900_000 + "\u00a0"),
    "colons": lambda: cells("x:" * 900_000),
    "minus signs": lambda: cells("area = " + "-" * 100_000 + "1"),
    "bad escapes": lambda: b'{"cells":[{"cell_type":"code","source":[' + b'"\\x"' * 500_000,
    "fences": lambda: b"```python\n" * 300_000,
    "fenced cells": lambda: b"```python\nx\n```\n" * 60_000,
    "exported cells": lambda: (
        b"<html>jp-Notebook" + b'<div class="highlight"><pre>x</pre></div>' * 25_000
    ),
    "code that is called text": lambda: json.dumps(
        {"cells": [{"cell_type": "markdown", "source": f"a = {'1 + ' * 4000}1"}] * 2000}
    ).encode(),
    "entries of an archive": lambda: archive_of(300_000),
    "tags": lambda: b"<html>jp-Notebook" + b'<div class="highlight"><pre>' * 50_000,
    "lines of a test": lambda: cells(*["assert area(2, 3) == 6\n" * 40_000] * 20),
    "copies of an answer": lambda: cells(*[f"def area(a, b):\n  return ({i}" for i in range(5000)]),
    "zeros": lambda: b"\0" * 20 * MEGABYTE,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_bounded(name: str):
    data = HOSTILE[name]()
    start = time.process_time()

    check(read_submission(data, TEMPLATE))

    # The slowest takes 4 s on an old laptop; something quadratic would take minutes.
    assert time.process_time() - start < 20


def test_outputs_cost_no_memory():
    data = with_output(
        b'[{"text": ["' + b"x" * 20 * MEGABYTE + b'"' + b', "x\\n"' * MEGABYTE + b"]}]"
    )
    tracemalloc.start()

    submission = read_submission(data, TEMPLATE)

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(answer.changed for answer in submission.answers.values())
    assert peak < 0.02 * len(data)


# ---------------------------------------------------------------- the reader against json's


@given(st.lists(st.text(max_size=30), max_size=8), JSON, st.sampled_from([None, 1, "\t"]))
@settings(max_examples=150)
def test_sources_are_those_that_json_reads(sources: list[str], other: Any, indent: Any):
    written = [
        {"cell_type": "raw", "outputs": other, "metadata": {"a": other}, "source": f"<{source}>"}
        for source in sources
    ]
    notebook = {"metadata": other, "cells": written, "nbformat": 4, "x": other}
    data = json.dumps(notebook, indent=indent).encode()

    file = read_notebook(data)

    expected = [clean(f"<{source}>", "raw")[0] for source in sources]
    assert [cell.source for cell in file.cells] == expected
    assert file.nbformat == 4
    assert not file.oddities
