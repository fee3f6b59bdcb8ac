"""The judge's benchmark: what it counts, what it compares, and a run of a few submissions."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.judge.answers import EXERCISES, written
from benchmarks.judge.lesson import corpus
from benchmarks.judge.page import page
from benchmarks.judge.report import aims, row, stock_row, table

ROOT = Path(__file__).resolve().parents[2]
MACHINE = {"processor": "P", "cores": 2, "system": "S", "python": "3",
           "busy_before": 0.1, "busy_after": 2.0}  # fmt: skip


class Used:
    def __init__(self, seconds, cpu, memory=400):
        self.seconds, self.cpu = seconds, cpu
        self.memory, self.grader = memory * 2**20, 100 * 2**20


def found():
    stock = stock_row(row("stock nbgrader", 2, Used(10.0, 8.0)), row("stock", 12, Used(45.0, 38.0)))
    return [
        stock,
        row("the judge", 100, Used(12.0, 15.0)),
        row("the judge", 1000, Used(50.0, 90.0)),
    ]


def test_stock_is_counted_without_its_start():
    stock = found()[0]
    assert stock["submissions"] == 10
    assert stock["per_minute"] == pytest.approx(60 / 3.5, abs=0.1)
    assert stock["cpu_ms"] == 3000


def test_aims_compare_the_largest_run():
    met = {words: (got, ok) for words, got, _, ok in aims(found())}
    assert met["submissions a minute over stock's"] == (pytest.approx(70, rel=0.01), True)
    assert met["CPU a submission, in ms"] == (90, True)
    assert met["memory at 1,000 over that at 100"] == (1, True)
    assert met["seconds for 1,000"] == (50, True)
    slow = [*found()[:2], row("the judge", 1000, Used(130.0, 130.0, 500))]
    assert [ok for *_, ok in aims(slow)] == [False, False, False, False]


def test_the_page_says_what_the_table_says():
    rows = found()
    text = page({"date": "2026-01-01", "machine": MACHINE, "jobs": 2, "rows": rows,
                 "aims": list(aims(rows)), "lesson": None})  # fmt: skip
    assert "| the judge | 1,000 | 50.0 | 1,200 | 90 ms | 400 MB | 100 MB |" in text
    assert "1,000" in list(table(rows))[-1]


def test_students_differ_and_are_right_and_wrong():
    answers = [written(number) for number in range(200)]
    assert len({json.dumps(answer) for answer in answers}) == 200
    texts = [text.partition("\n")[2] for exercises, _ in answers for text in exercises.values()]
    for exercise in EXERCISES.values():
        for kind in ("right", "wrong"):
            assert any(text in exercise[kind] for text in texts)


@pytest.mark.parametrize("kind", ["right", "wrong"])
def test_lesson_14_has_answers_to_draw_from(kind):
    for exercise in ("gpt_logits", "init_gpt", "tied_lm_loss_and_grad", "crossover_depth"):
        assert corpus(exercise, kind)


COUNTED = """
import os, sys
sys.path.insert(0, {root!r})
from pathlib import Path
from benchmarks.judge.measure import measure
orphan = "import os, time\\nif os.fork() == 0:\\n    while time.process_time() < 0.5: pass\\n"
used = measure([sys.executable, "-c", orphan], Path({folder!r}), os.environ)
assert 0.4 < used.cpu < 2, used
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measures by Linux's own means")
def test_what_a_command_leaves_behind_is_counted(tmp_path):
    code = COUNTED.format(root=str(ROOT), folder=str(tmp_path))
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures by Linux's own means")
def test_a_few_submissions_are_timed(tmp_path):
    command = [sys.executable, "-m", "benchmarks", "judge", "--submissions", "3", "--stock", "0",
               "--students", "0", "--out", str(tmp_path)]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "judge.json").read_text())
    assert [r["submissions"] for r in result["rows"]] == [3]
    assert "the judge" in (tmp_path / "judge.md").read_text()
