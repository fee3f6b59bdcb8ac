"""How a fork server starts, what it sees, and that nothing of it stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from course_lib.grading import wall
from course_lib.grading.wall import Policy, choose_uid, confine, die_with_parent, outer_command
from course_lib.grading.wall.privileges import NOBODY

PYTHON = [sys.executable, "-I", "-S", "-B", "-c"]


@pytest.fixture
def bubblewrap():
    if not wall.best_tier().name.startswith("bubblewrap"):
        pytest.skip(f"no bubblewrap: {wall.best_tier().explanation}")


def started(program, readable=(), fds=(), python=PYTHON, **options):
    """Run a program the way a server is started; return what it prints as JSON."""
    command, environment = outer_command([*python, program], readable, fds)
    run = subprocess.run(
        command,
        env=environment,
        pass_fds=fds,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        **options,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_environment_of_the_starter_does_not_go_in(monkeypatch):
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2")
    program = "import os, json; print(json.dumps(dict(os.environ)))"
    seen = started(program)
    assert "DATABASE_PASSWORD" not in seen
    assert seen["OPENBLAS_NUM_THREADS"] == "1"
    assert seen["LANG"] == "C.UTF-8"


def test_environment_of_process_1_is_clean(monkeypatch, bubblewrap):
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2")
    program = "import json; print(json.dumps(open('/proc/1/environ').read()))"
    assert "hunter2" not in started(program)


def test_descriptors_go_in():
    reader, writer = os.pipe()
    assert started(f"import os; print(os.write({writer}, b'hello'))", fds=(writer,)) == 5
    assert os.read(reader, 10) == b"hello"
    os.close(reader)
    os.close(writer)


def test_only_what_is_named_can_be_seen(bubblewrap, tmp_path):
    shown, hidden = tmp_path / "shown", tmp_path / "hidden"
    shown.mkdir()
    hidden.mkdir()
    (shown / "file").write_text("")
    program = (
        "import os, json; print(json.dumps([os.listdir(p) if os.path.exists(p) else None "
        f"for p in ({str(shown)!r}, {str(hidden)!r}, '/home', '/etc', '/usr/bin', '/proc')]))"
    )
    in_shown, in_hidden, home, etc, binaries, proc = started(program, (str(shown),))
    assert (in_shown, in_hidden) == (["file"], None)
    assert (home, binaries) == (None, None) or str(sys.executable).startswith("/usr/bin")
    assert set(etc or ()) <= {"ld.so.cache"}
    assert [name for name in proc if name.isdigit()] == ["1"]


def test_installed_packages_are_hidden_unless_named(bubblewrap):
    packages = Path(pytest.__file__).parent.parent
    program = f"import os, json; print(json.dumps(os.path.exists({str(packages)!r} + '/numpy')))"
    assert started(program) is False
    assert started(program, (str(packages / "numpy"),)) is True


def test_nothing_can_be_written_but_a_little_in_tmp(bubblewrap, tmp_path):
    program = f"""
import errno, json, os
answers = []
library = os.path.dirname(os.__file__)
for path in ({str(tmp_path)!r}, "/", "/etc", "/usr", library, "/proc/sys/kernel"):
    try:
        open(path + "/core_pattern", "w")
    except OSError as error:
        answers.append(error.errno in (errno.EROFS, errno.ENOENT, errno.EACCES, errno.EPERM))
    else:
        answers.append(path)
try:
    with open("/tmp/big", "wb") as file:
        for _ in range(17):
            file.write(bytes(2**20))
    answers.append("a big file")
except OSError as error:
    answers.append(error.errno == errno.ENOSPC)
print(json.dumps(answers))
"""
    if os.geteuid() == 0:
        # The server keeps root's id; its children, which students' code runs in, drop it.
        program = program.replace(', "/proc/sys/kernel"', "")
    assert set(started(program, (str(tmp_path),))) == {True}
    assert list(tmp_path.iterdir()) == []


def test_no_network_inside(bubblewrap):
    program = "import json; print(json.dumps(open('/proc/net/dev').read()))"
    devices = [line.split(":")[0].strip() for line in started(program).splitlines()[2:]]
    assert devices in ([], ["lo"])


def test_virtual_environment_in_a_private_home(bubblewrap):
    with tempfile.TemporaryDirectory() as home:  # only its owner may enter
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", f"{home}/v"], check=True, timeout=60
        )
        python = [f"{home}/v/bin/python", *PYTHON[1:]]
        program = "import json, sys; print(json.dumps([sys.executable, sys.base_prefix]))"
        executable, base = started(program, python=python)
        assert (executable, base) == (python[0], sys.base_prefix)


@pytest.mark.parametrize("command", [[], ["python3", "-c", "pass"]])
def test_command_without_a_path_is_refused(command):
    with pytest.raises(ValueError, match="absolute path"):
        outer_command(command, ())


def test_descriptor_that_is_not_open_is_refused():
    with pytest.raises(ValueError, match="999"):
        outer_command([sys.executable], (), (999,))


# ---------------------------------------------------------------- nothing stays behind


def ends(pipe, seconds=10.0):
    """Whether all who could write into the pipe are gone in that time."""
    os.set_blocking(pipe, False)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            return os.read(pipe, 1) == b""
        except BlockingIOError:
            time.sleep(0.02)
    return False


def long_server(say):
    """The command and environment of a server that writes "x" into the pipe and stays."""
    room = Path(wall.__file__).parent
    program = (
        f"import sys, os, time; sys.path.insert(0, {str(room.parent)!r})\n"
        f"import wall; wall.die_with_parent(); os.write({say}, b'x')\n"
        "time.sleep(60)"
    )
    return outer_command([*PYTHON, program], (str(room),), (say,))


def test_server_ends_with_its_starter():
    """However the starter ends: here by SIGKILL."""
    reader, writer = os.pipe()
    starter = os.fork()
    if starter == 0:
        try:
            os.close(reader)
            command, environment = long_server(writer)
            subprocess.run(command, env=environment, pass_fds=(writer,), check=False)
        finally:
            os._exit(0)
    os.close(writer)
    assert os.read(reader, 1) == b"x"
    os.kill(starter, signal.SIGKILL)
    os.waitpid(starter, 0)
    assert ends(reader)
    os.close(reader)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_server_ends_when_what_was_started_is_ended(number):
    """With bubblewrap, that is not the server itself."""
    reader, writer = os.pipe()
    command, environment = long_server(writer)
    with subprocess.Popen(command, env=environment, pass_fds=(writer,)) as process:
        os.close(writer)
        assert os.read(reader, 1) == b"x"
        process.send_signal(number)
        assert ends(reader)
    os.close(reader)


def test_confined_child_ends_with_its_server():
    reader, writer = os.pipe()
    server = os.fork()
    if server == 0:
        try:
            os.close(reader)
            if os.fork() == 0:
                confine(
                    Policy((), (), 2**28, 30.0, drop_to=NOBODY if os.geteuid() == 0 else None),
                    keep=(writer,),
                )
                os.write(writer, b"x")
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(60)
            os.close(writer)
            time.sleep(60)
        finally:
            os._exit(0)
    os.close(writer)
    assert os.read(reader, 1) == b"x"
    os.kill(server, signal.SIGKILL)
    os.waitpid(server, 0)
    assert ends(reader)
    os.close(reader)


def test_a_child_whose_parent_is_gone_already_ends():
    child = os.fork()
    if child == 0:
        die_with_parent(parent=os.getpid())  # not the parent's id
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


# ---------------------------------------------------------------- which id


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another id to drop to")
def test_root_drops_to_nobody_unless_files_are_out_of_reach(tmp_path):
    with tempfile.TemporaryDirectory() as private:
        file = Path(private, "module.py")
        file.write_text("")
        assert choose_uid(["/usr/lib", "/does/not/exist"]) == NOBODY
        assert choose_uid(["/usr/lib", str(file)]) is None
        assert choose_uid(["/usr/lib", private]) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root chooses")
def test_ordinary_users_stay_who_they_are():
    assert choose_uid(["/usr/lib"]) is None


def test_prepared_server_has_left_the_network(confined):
    def devices():
        wall.prepare(Policy((), (), 2**28, 5.0))
        left = wall.privileges.leave_network()
        return left, Path("/proc/net/dev").read_text().count(":")

    left, count = confined.free(devices).value
    if not left:
        pytest.skip("this machine gives ordinary users no namespaces")
    assert count <= 1


def test_prepared_rules_are_the_same_rules(confined, secret):
    policy = Policy((str(secret),), (), 2**28, 5.0)

    def prepared():
        wall.prepare(policy)
        name = confine(policy)
        with pytest.raises(PermissionError):
            list(Path("/").iterdir())
        return name, secret.read_text()

    assert confined.free(prepared).value == ["landlock+seccomp", "the answer is 42"]
