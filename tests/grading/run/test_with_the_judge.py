"""The run with the judge itself: the same grades whatever is killed, and nothing left running."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scratch_course import ASSIGNMENT, ScratchCourse

from course_lib.grading.run import make_plan, open_course
from course_lib.grading.run.fingerprint import settings_digest
from course_lib.grading.settings import Settings

ROOT = Path(__file__).resolve().parents[3]
RIGHT, WRONG = "answer = 42", "answer = 1"
SLOW = "import time\ntime.sleep(0.3)\nanswer = 42"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes in /proc"),
]


def command(course: ScratchCourse, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "course_lib.grading", "autograde", ASSIGNMENT, "--jobs", "2",
         "--course", str(course.root), *more],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=dict(os.environ) | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def finish(course: ScratchCourse, *more: str) -> str:
    started = command(course, *more)
    output, _ = started.communicate(timeout=180)
    assert started.returncode == 0, output
    return output


def processes() -> dict[int, tuple[int, str]]:
    """All processes: number → (parent, command line)."""
    found = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (OSError, UnicodeDecodeError):
                continue
            if fields[0] != "Z":
                found[int(place.name)] = (int(fields[1]), line)
    return found


def descendants(number: int) -> set[int]:
    table, found = processes(), {number}
    while True:
        more = {child for child, (parent, _) in table.items() if parent in found} - found
        if not more:
            return found - {number}
        found |= more


def left_of(family: set[int]) -> dict[int, tuple[int, str]]:
    """Those of the processes that still run ten seconds from now."""
    for _ in range(100):
        left = {number: told for number, told in processes().items() if number in family}
        if not left:
            break
        time.sleep(0.1)
    return left


def hand_in(course: ScratchCourse) -> None:
    for number in range(6):
        course.submit(f"s{number}", {"p1": SLOW, "p2": (RIGHT, WRONG)[number % 2]})
    (course.submitted("s5") / "p1.ipynb").write_text("{")
    (course.root / ".judge_secret").write_text("0" * 64)


def outcome(course: ScratchCourse) -> dict[str, object]:
    """The state without times, and without what depends on the judge's own sources."""
    state = course.state()
    state["ledger"] = {key: (row[2], row[3]) for key, row in state["ledger"].items()}
    files = {}
    for name, content in state["files"].items():
        if name.endswith(".ipynb"):
            cells = json.loads(content)["cells"]
            files[name] = [(cell["source"], cell.get("outputs")) for cell in cells]
        else:
            files[name] = content
    return state | {"files": files}


@pytest.fixture
def undisturbed(make_course):
    course = make_course()
    hand_in(course)
    finish(course)
    return outcome(course)


def test_grades(undisturbed):
    grades = undisturbed["grades"]
    assert grades["s0", "p1", "check"] == (4, None, 0)
    assert grades["s0", "p2", "check"] == (4, None, 0)
    assert grades["s1", "p2", "check"] == (0, None, 0)
    assert grades["s5", "p1", "check"] == (0, None, 0)


def test_judges_killed_again_and_again(undisturbed, course, seed):
    hand_in(course)
    chance = random.Random(seed)
    for _ in range(3):
        started = command(course)
        while started.poll() is None:
            time.sleep(chance.uniform(1.5, 2.5))
            victims = sorted(descendants(started.pid))
            if victims and len(course.ledger_or_nothing()):
                with contextlib.suppress(ProcessLookupError):  # it ended meanwhile
                    os.kill(chance.choice(victims), signal.SIGKILL)
        assert started.stdout is not None
        started.stdout.read()
        started.stdout.close()
        assert started.returncode in (0, 1, 2)
    finish(course)
    assert outcome(course) == undisturbed, f"seed {seed}"


def test_the_run_itself_killed(undisturbed, course, seed):
    hand_in(course)
    chance = random.Random(seed)
    for _ in range(3):
        started = command(course)
        time.sleep(chance.uniform(1.0, 5.0))
        family = descendants(started.pid)
        started.kill()
        assert started.stdout is not None
        started.stdout.read()
        started.stdout.close()
        started.wait()
        assert not left_of(family)
    finish(course)
    assert outcome(course) == undisturbed, f"seed {seed}"


def test_nothing_is_left_when_it_is_done_or_stopped(course):
    hand_in(course)
    course.submit("s6", {"p1": SLOW.replace("0.3", "5"), "p2": RIGHT})
    for stop in (True, False):
        started = command(course)
        family: set[int] = set()
        while started.poll() is None and not (len(family) > 1 and course.ledger_or_nothing()):
            time.sleep(0.05)
            family |= descendants(started.pid)
        if stop:
            started.send_signal(signal.SIGINT)
        output, _ = started.communicate(timeout=120)
        assert started.returncode == (130 if stop else 0), output
        assert "grading/run" not in output, output  # no traceback of the run
        assert family
        assert not left_of(family)


def test_the_judges_sources_are_in_the_fingerprint():
    from course_lib.grading.run import fingerprint

    judged = {
        path.relative_to(fingerprint.JUDGE).parts[0]
        for path in fingerprint.JUDGE.rglob("*.py")
        if path.relative_to(fingerprint.JUDGE).parts[0] not in fingerprint.NOT_JUDGING
    }
    assert {"judge", "contestant", "wall", "submission", "wire.py", "template.py"} <= judged


def test_a_judge_whose_grader_went_away_while_it_started_ends_in_silence(tmp_path):
    start = tmp_path / "start.pickle"
    start.write_bytes(pickle.dumps((Settings(unsafe=True), str(tmp_path))))
    server = subprocess.Popen(
        [sys.executable, "-m", "course_lib.grading.judge.server", str(start)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=dict(os.environ) | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    server.stdout.close()  # before it says that it is ready
    with server.stdin, server.stderr:
        assert server.stderr.read() == b""
    assert server.wait(30) == 0


def test_a_worker_without_the_instruments_file_has_its_text(course):
    (course.root / "nbgrader_config.py").open("a").write('c.Judge.instruments = ["watch.py"]\n')
    (course.root / "watch.py").write_text(
        "def doubled(call, *given):\n    return 2 * call(*given)\n"
    )
    plan = make_plan(open_course(course.root), ASSIGNMENT)
    before = settings_digest(plan.settings)
    (course.root / "watch.py").unlink()
    sent = pickle.loads(pickle.dumps(plan.settings))
    assert sent.instrument_texts() == {"watch": plan.settings.carried[0][1]}
    (course.root / "watch.py").write_text("def doubled(call, *given):\n    return call(*given)\n")
    assert settings_digest(make_plan(open_course(course.root), ASSIGNMENT).settings) != before
