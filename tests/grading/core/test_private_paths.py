"""What an answer can learn and show of where things lie on the instructor's machine."""

import json
import sys
import tempfile
from pathlib import Path

import pytest

from course_lib.grading.judge.private_paths import PROJECT, private_paths, without_paths
from tests.grading.attacks.small_course import student_sees
from tests.grading.core.judged import cell_of, checked, graded_cell, judged, scores, solution

PLACES = [str(place) for place in (Path.home(), PROJECT, sys.prefix, sys.base_prefix)]
EVERYTHING = """
import os, sys, sysconfig, traceback, warnings, linecache, inspect, pathlib, json
import numpy, matplotlib, IPython
def known():
    yield from sys.path
    yield from (sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.argv)
    yield from sys.orig_argv
    yield from (str(getattr(m, "__file__", "")) for m in list(sys.modules.values()))
    yield from (os.getcwd(), os.path.abspath("x"), os.path.expanduser("~"), str(os.environ))
    yield from (frame.filename for frame in traceback.extract_stack())
    yield from linecache.cache
    yield json.dumps(sysconfig.get_paths())
    yield repr(numpy) + repr(pathlib.Path.cwd()) + matplotlib.get_cachedir()
    for name in ("exe", "cwd", "root"):
        yield os.readlink("/proc/self/" + name)
"""


@pytest.mark.parametrize(
    "code",
    [
        "print('\\n'.join(known()))",
        "print(list(known()))",
        "warnings.warn(' '.join(known()))",
        "raise ValueError(' '.join(known())[-400:])",
        "raise OSError(2, 'no such file', numpy.__file__)",
        "display(list(known()))",
        "list(known())",
        "[print('file://' + one, '\"' + one + '\"', one + ':1') for one in known()]",
    ],
)
def test_no_path_is_shown_that_is_merely_printed(either_wall, code):
    cells = [solution("a", "x = 1"), checked("t", "assert x == 1")]
    result = judged(cells, {"a": f"{EVERYTHING}\nx = 1\n{code}"})
    seen = student_sees(result)
    assert "…" in seen
    for place in (*PLACES, f"{tempfile.gettempdir()}/judge-"):
        assert place + "/" not in seen, place


def test_no_path_is_shown_by_a_message_of_a_test(either_wall):
    cells = [
        solution("a", "def f():\n    return 1"),
        checked("t", "assert f() == 1, f'f() gives {f()}'"),
        checked("raises", "f(2)"),
    ]
    answer = "import numpy\ndef f(x=None):\n    if x: raise ValueError(numpy.__file__)\n"
    result = judged(cells, {"a": answer + "    return numpy.__file__"})
    assert cell_of(result, "t").reason.startswith("f() gives …/")
    assert "ValueError: …/" in cell_of(result, "raises").reason
    assert not any(place in json.dumps(result.to_plain()) for place in PLACES)


def test_how_the_process_was_started_cannot_be_learnt(either_wall):
    cells = [solution("a", "told = []"), checked("t", "assert told == []")]
    answer = f"""
import os, sys
places = {PLACES!r}
things = [*sys.argv, *sys.orig_argv, sys.executable, sys._base_executable, *os.environ.values()]
for name in ("cmdline", "environ", "maps", "mountinfo"):
    try:
        things.append(open("/proc/self/" + name).read())
    except OSError:
        pass
told = [thing for thing in things for place in places if place in thing]
told += [name for name in os.environ if "WALL" in name or name in ("USER", "LOGNAME", "PWD")]
"""
    result = judged(cells, {"a": answer})
    assert scores(result) == {"t": 1}, graded_cell(result, "a")["outputs"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ada/course/x.py", "…/course/x.py"),
        ("/home/ada", "…"),
        ("'/home/ada'", "'…'"),
        ("file:///home/ada/x", "file://…/x"),
        ("/home/adam/x", "/home/adam/x"),
        ("/home/ada-2/x", "/home/ada-2/x"),
        ("a/home/ada/x", "a/home/ada/x"),
        ("1/2 and 3/4", "1/2 and 3/4"),
        ("/usr/lib/x", "/usr/lib/x"),
    ],
)
def test_only_whole_names_of_folders_are_replaced(text, shown, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    assert without_paths({"text": [text]}, private_paths()) == {"text": [shown]}
    assert without_paths({"image/png": text}, private_paths()) == {"image/png": text}


def test_a_course_without_a_home_of_its_own_is_shown_as_it_is(monkeypatch):
    for home in ("/", "/usr", "/tmp"):
        monkeypatch.setenv("HOME", home)
        assert without_paths("/tmp/x /usr/x /x", private_paths()) == "/tmp/x /usr/x /x"
