"""What honest students do goes on working behind the wall, with a server of each kind."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from course_lib.grading import wall
from course_lib.grading.wall.environment import clean_environment

PROGRAM = Path(__file__).with_name("everyday.py")
THINGS = re.findall(r"@thing\ndef (\w+)", PROGRAM.read_text())


@pytest.fixture(scope="module", params=["bubblewrap", "plain"])
def answers(request, tmp_path_factory):
    """{thing: "" or what went wrong} of a server started that way."""
    folder = tmp_path_factory.mktemp("everyday")
    data = folder / "numbers.txt"
    data.write_text("1 2 3\n")
    room = Path(wall.__file__).parent
    packages = sysconfig.get_path("purelib")
    command = [
        sys.executable,
        "-I",
        "-S",
        "-B",
        str(PROGRAM),
        str(room.parent),
        packages,
        str(data),
    ]
    if request.param == "plain":
        environment = {
            **clean_environment(bubblewrapped=False),
            "MPLCONFIGDIR": str(folder),
            "IPYTHONDIR": str(folder),
        }
    elif wall.best_tier().name.startswith("bubblewrap"):
        readable = (str(room), packages, str(data), str(PROGRAM))
        command, environment = wall.outer_command(command, readable)
    else:
        pytest.skip(f"no bubblewrap: {wall.best_tier().explanation}")
    run = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("thing", THINGS)
def test_it_works(answers, thing):
    assert answers[thing] == ""
