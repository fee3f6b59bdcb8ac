"""Which wall there is: here, and on machines that lack a part of it."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from course_lib.grading import wall
from course_lib.grading.wall import Policy, Tier, WallError, best_tier, choose_uid, confine, tiers
from course_lib.grading.wall.privileges import NOBODY, forbid_new_privileges
from course_lib.grading.wall.seccomp import install
from course_lib.grading.wall.syscall_numbers import architecture, number

INNER, OUTER = "landlock+seccomp", "bubblewrap+landlock+seccomp"
POLICY = Policy((), (), 2**28, 5.0)


@pytest.fixture(autouse=True)
def fresh():
    best_tier.cache_clear()
    yield
    best_tier.cache_clear()


def test_here():
    tier = best_tier()
    assert tier.ok
    assert tier.name in (INNER, OUTER)
    assert "Landlock" in tier.explanation


@pytest.mark.parametrize(("platform", "name"), [("darwin", "macOS"), ("win32", "Windows")])
def test_other_systems(monkeypatch, platform, name):
    monkeypatch.setattr(sys, "platform", platform)
    tier = best_tier()
    assert (tier.name, tier.ok) == ("none", False)
    for word in (name, "WSL2", "container", "--unsafe"):
        assert word in tier.explanation


def test_system_without_unix_modules_is_told_so_too():
    program = (
        "import ctypes, json, shutil, subprocess, sys, sysconfig\n"
        "import course_lib.grading\n"
        "for name in ('resource', 'fcntl', 'pwd', 'termios'):\n    sys.modules[name] = None\n"
        "sys.platform = 'win32'\n"
        "from course_lib.grading import wall\n"
        "print(wall.best_tier().explanation)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Windows has neither" in run.stdout


def test_other_processors(monkeypatch):
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64", release="6.1"))
    assert not best_tier().ok
    assert "riscv64" in best_tier().explanation
    with pytest.raises(WallError, match="riscv64"):
        confine(POLICY)


def test_without_bubblewrap(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (best_tier().name, best_tier().ok) == (INNER, True)
    assert "not installed" in best_tier().explanation
    command, environment = wall.outer_command([sys.executable, "-c", "pass"], ())
    assert command == [sys.executable, "-c", "pass"]
    assert environment["OPENBLAS_NUM_THREADS"] == "1"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", "setting up uid map"),
        ('while [ "$1" != -- ]; do shift; done; shift; exec "$@"', "no namespace"),
        ("exit 0", "status 0"),
    ],
)
def test_bubblewrap_that_does_not_do_its_work(monkeypatch, tmp_path, script, said):
    fake = tmp_path / "bwrap"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert best_tier().name == INNER
    assert said in best_tier().explanation


LOAD, JUMP_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000


def machine_without(number, answer, argument_bits=None):
    """Give this process a kernel in which that call fails (with those bits in its argument)."""
    bits = [(LOAD, 0, 0, 16), (JUMP_SET, 0, 1, argument_bits)] if argument_bits else []
    program = [
        (LOAD, 0, 0, 0),
        (JUMP_EQUAL, 0, 1 + len(bits), number),
        *bits,
        (RETURN, 0, 0, REFUSE | answer),
        (RETURN, 0, 0, ALLOW),
    ]
    forbid_new_privileges()
    install(b"".join(struct.pack("=HBBI", *instruction) for instruction in program))


@pytest.fixture
def tier_without(forked):
    """tier_without(call, error): the best tier on a machine whose kernel fails that call so."""

    def find(*what):
        outcome = forked(lambda: vars(best_tier()), lambda: machine_without(*what))
        return Tier(**outcome.value)

    return find


@pytest.mark.parametrize("answer", [errno.ENOSYS, errno.EOPNOTSUPP], ids=["absent", "off"])
def test_kernel_without_landlock(tier_without, answer):
    tier = tier_without(number("landlock_create_ruleset"), answer)
    assert (tier.name, tier.ok) == ("none", False)
    for word in ("does not enforce Landlock", "5.13", "lsm=", "--unsafe"):
        assert word in tier.explanation


def test_kernel_without_seccomp(tier_without):
    tier = tier_without(number("seccomp"), errno.EINVAL)
    assert (tier.name, tier.ok) == ("none", False)
    assert "seccomp filter" in tier.explanation


def test_kernel_that_refuses_new_namespaces(tier_without):
    tier = tier_without({"x86_64": 56, "aarch64": 220}[architecture()], errno.EPERM, 0x7E02_0000)
    assert (tier.name, tier.ok) == (INNER, True)
    if shutil.which("bwrap"):
        assert "bubblewrap does not work here" in tier.explanation


@pytest.mark.parametrize("call", ["landlock_create_ruleset", "landlock_restrict_self", "seccomp"])
def test_nothing_runs_half_confined(confined, call):
    def try_it():
        machine_without(number(call), errno.EOPNOTSUPP)
        confine(POLICY)

    outcome = confined.free(try_it)
    assert outcome.error == "WallError"


@pytest.mark.parametrize("version", range(1, 8))
def test_older_landlock(confined, room, monkeypatch, version):
    """What an older version lacks, the filter refuses."""
    if version > wall.landlock.landlock_version():
        pytest.skip(f"this kernel's Landlock is older than version {version}")
    monkeypatch.setattr("course_lib.grading.wall.confinement.landlock_version", lambda: version)
    file = room / "data.txt"
    file.write_text("1 2 3")
    file.chmod(0o666)
    policy = Policy((str(room),), (), 2**28, 5.0)
    assert confined(file.read_text, policy).value == "1 2 3"
    attempts = {
        "write": lambda: file.write_text("no"),
        "truncate": lambda: os.truncate(file, 0),
        "truncate by opening": lambda: os.open(file, os.O_RDONLY | os.O_TRUNC),
        "move": lambda: file.rename(room / "moved"),
        "signal": lambda: os.kill(os.getppid(), 0),
        "elsewhere": lambda: list(Path("/etc").iterdir()),
    }
    for name, attempt in attempts.items():
        assert confined(attempt, policy).error == "PermissionError", name
    assert file.read_text() == "1 2 3"
    assert confined(lambda: os.open(os.devnull, os.O_RDWR | os.O_TRUNC) > 0, policy).value is True


def test_a_filter_that_is_there_already_is_no_hindrance(confined):
    """As in a container, which has one of its own."""

    def lock_twice():
        machine_without(number("clone3"), errno.ENOSYS)
        return confine(POLICY)

    assert confined.free(lock_twice).value == INNER


@pytest.mark.skipif(os.geteuid() != 0, reason="is an ordinary user already")
def test_here_as_an_ordinary_user():
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    room = str(Path(wall.__file__).parent.parent)
    program = f"import sys; sys.path.insert(0, {room!r}); import wall; print(wall.best_tier().name)"
    for python in (sys.executable, "/usr/bin/python3"):
        trial = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            if subprocess.run(trial, check=False, cwd="/", **other).returncode == 0:
                break
        except OSError:
            continue
    else:
        pytest.skip("no interpreter here that an ordinary user can run")
    if choose_uid([room]) is None:
        pytest.skip("an ordinary user cannot read the course's folder")
    command = [python, "-B", "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/", **other)
    assert run.stdout.strip() in (INNER, OUTER)


def test_tier_is_found_once(monkeypatch):
    calls = []
    monkeypatch.setattr(tiers, "_probe", lambda bwrap: calls.append(bwrap) or "")
    assert best_tier() is best_tier()
    assert len(calls) == 1
