"""What is left of jobs, and of the worker, when they are over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from course_lib.grading.grade import close_workers, grade_job
from course_lib.grading.job import Job
from tests.grading.attacks.processes import descendants, running
from tests.grading.attacks.small_course import (
    HONEST,
    SETTINGS,
    Handed,
    own_cells_show,
    source_notebook,
)


def job(handed: Handed, **more) -> Job:
    source = json.dumps(source_notebook()).encode()
    return Job(source, json.dumps(handed.notebook()).encode(), 3, SETTINGS, **more)


def eventually(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def steadily(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until a condition has held for a second: at the start processes come and go."""
    end = time.monotonic() + seconds
    held = 0
    while time.monotonic() < end and held < 20:
        held = held + 1 if condition() else 0
        time.sleep(0.05)
    return held == 20


def test_closing_the_workers_leaves_no_process_and_no_folder(grader):
    close_workers()
    before = descendants(os.getpid())
    folder = grader.folder / "tmp"
    endless = Handed(HONEST | {"double": "def double(x):\n    while True: pass"})
    assert grade_job(job(endless)).score == 6.0
    pids = descendants(os.getpid()) - before  # other tests may have processes of their own
    assert len(pids) >= 2
    assert list(folder.iterdir())
    close_workers()
    assert eventually(lambda: not running(pids))
    assert not list(folder.iterdir())


def test_files_of_another_assignment_are_out_of_reach(grader):
    """The two jobs share a worker; each sees the files that were handed out with it alone."""
    data = (("numbers.txt", b"canary-other-assignment"),)
    assert grade_job(job(Handed(), data=data)).score == 8.0
    look = (
        "import os, glob\nprint(os.listdir('.'), open('own.txt').read())\n"
        "for path in ('..', '../..', os.getcwd() + '/..'):\n"
        "    try:\n        print('LISTED', os.listdir(path))\n"
        "    except OSError as error:\n        print('refused', error)\n"
        "print([open(path).read() for path in glob.glob('../*/numbers.txt')])"
    )
    mine = (("own.txt", b"my own file"),)
    result = grade_job(job(Handed(HONEST, [look]), data=mine))
    shown = own_cells_show(result)
    assert result.score == 8.0
    assert "my own file" in shown
    assert "refused" in shown
    assert "LISTED" not in shown
    assert "canary-other-assignment" not in shown


def test_a_job_sees_nothing_of_the_one_before(grader):
    mark = "canary-left-behind"
    leave = (
        f"import os, sys, builtins\nnp.left = builtins.left = sys.left = '{mark}'\n"
        f"os.environ['LEFT'] = '{mark}'\nsys.modules['left'] = sys\nsys.path.append('{mark}')\n"
        f"get_ipython().user_ns['left'] = '{mark}'\nget_ipython().history_manager.left = '{mark}'"
    )
    assert grade_job(job(Handed(HONEST, [leave]))).score == 8.0
    look = (
        "import os, sys, builtins, gc\n"
        "history = get_ipython().history_manager\n"
        "print([getattr(o, 'left', None) for o in (np, builtins, sys, history)],\n"
        "      os.environ.get('LEFT'), 'left' in globals(), 'left' in sys.modules, sys.path)\n"
        "needle = 'canary-' + 'left-behind'\n"
        "print('searched', sum(type(v) is str and v == needle for o in gc.get_objects()\n"
        "      if type(o) is dict for v in list(o.values())))"
    )
    shown = own_cells_show(grade_job(job(Handed(HONEST, [look]))))
    assert mark not in shown
    assert "[None, None, None, None] None False False" in shown
    assert "searched 1" in shown or "searched 0" in shown


def commands(pid: int) -> list[str]:
    """Return the commands of a process and of those below it, to be read where a test fails."""
    return [
        Path(f"/proc/{p}/cmdline").read_text(errors="replace").replace("\0", " ")[:80]
        for p in (pid, *descendants(pid))
    ]


KILLED = """
import json, sys
from course_lib.grading.grade import grade_job
from course_lib.grading.job import Job
from tests.grading.attacks.small_course import HONEST, SETTINGS, Handed, source_notebook
from dataclasses import replace
slow = replace(SETTINGS, limits=replace(SETTINGS.limits, cpu_seconds=60.0, wall_seconds=60.0))
handed = Handed(HONEST | {"double": ANSWER})
source = source_notebook()
source["cells"][2]["source"] = TEST
print("started", flush=True)
grade_job(Job(json.dumps(source).encode(), json.dumps(handed.notebook()).encode(), 3, slow))
"""
ENDLESS = {
    "the student's code": ("def double(x):\n    while True: pass", "assert double(1) == 2"),
    "a test that trusts a result": (
        "def double(x):\n    return 10**12", "assert sum(range(double(1))) == 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDLESS)
def test_a_killed_grader_leaves_no_process(name, tmp_path):
    """SIGKILL, in the middle of an endless loop: nothing of the grader's can clean up."""
    answer, test = ENDLESS[name]
    code = KILLED.replace("ANSWER", repr(answer)).replace("TEST", repr(test))
    root = str(Path(__file__).parents[3])
    environment = os.environ | {"PYTHONPATH": root, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=root, env=environment, stdout=subprocess.PIPE
    ) as grader:
        assert grader.stdout is not None
        assert grader.stdout.readline() == b"started\n"
        assert steadily(lambda: len(descendants(grader.pid)) >= 4, 90.0), commands(grader.pid)
        below = descendants(grader.pid)
        os.kill(grader.pid, signal.SIGKILL)
        grader.wait()
    assert eventually(lambda: not running(below)), "the judge or the student's code still runs"
