"""The contract of `python -m course_lib.checks EXERCISE FILE.py… [--json] [--seed N]`."""

import json
import subprocess
import sys

import pytest

RIGHT = """
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    block = 12 * d * d + 2 * d + (11 * d if bias else 0)
    return V * d * (1 if tied else 2) + T * d + L * block + d * (2 if bias else 1)

if __name__ == "__main__":
    while True:
        pass
"""
WRONG = """
print("loaded")
def count_gpt2_params(V, T, d, L, tied=True, bias=True):
    return V * d + L * (12 * d * d + (13 if bias else 2) * d) + (2 if bias else 1) * d \\
        + (0 if tied else V * d)
"""


@pytest.fixture
def files(tmp_path):
    sources = {
        "right": RIGHT, "wrong": WRONG, "syntax": "def count_gpt2_params(:\n", "empty": "x = 1\n",
        "exits": "import sys\nsys.exit(0)\n", "endless": "while True:\n    pass\n",
        "raises": "def count_gpt2_params(V, T, d, L, tied=True, bias=True):\n    return V / 0\n",
        "dies": "import os\nos._exit(0)\n",
    }  # fmt: skip
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    return tmp_path


def run(*arguments, folder):
    command = [sys.executable, "-m", "course_lib.checks", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_a_right_file(files):
    done = run("count_gpt2_params", files / "right.py", "--json", "--seed", 5, folder=files)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert json.loads(line) == {
        "file": str(files / "right.py"), "exercise": "count_gpt2_params", "passed": True,
        "score": 4.0, "max_score": 4.0, "diagnoses": [], "error": None,
    }  # fmt: skip


def test_one_line_a_file_in_their_order_and_status_1(files):
    names = ["wrong", "right", "raises", "dies"]
    done = run("count_gpt2_params", *(files / f"{n}.py" for n in names), "--json", folder=files)
    assert done.returncode == 1
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["file"] for line in lines] == [str(files / f"{n}.py") for n in names]
    assert [line["passed"] for line in lines] == [False, True, False, False]
    wrong, _, raises, dies = lines
    assert wrong["diagnoses"][0]["id"] == "no_positions"
    assert set(wrong["diagnoses"][0]) == {"id", "title", "message"}
    assert 0 < wrong["score"] < wrong["max_score"]
    assert wrong["error"] is None
    assert "ZeroDivisionError" in raises["error"]
    assert "return V / 0" in raises["error"]
    assert "ended early" in dies["error"]


def test_files_that_hold_no_answer(files):
    names = ["syntax", "empty", "exits"]
    done = run("count_gpt2_params", *(files / f"{n}.py" for n in names), "--json", folder=files)
    assert done.returncode == 1
    errors = [json.loads(line)["error"] for line in done.stdout.splitlines()]
    assert "SyntaxError" in errors[0]
    assert "no function count_gpt2_params" in errors[1]
    assert "SystemExit" in errors[2]


def test_an_endless_loop_is_stopped(files):
    done = run("count_gpt2_params", files / "endless.py", "--json", "--time-limit", 3, folder=files)
    assert done.returncode == 1
    assert "stopped after 3 seconds" in json.loads(done.stdout)["error"]


def test_a_file_can_neither_read_nor_write_others(files):
    pytest.importorskip("course_lib.grading.wall")
    from course_lib.grading.wall import best_tier

    if not best_tier().ok:
        pytest.skip(best_tier().explanation)
    (files / "secret.txt").write_text("4142")
    reads = f"print(open({str(files / 'secret.txt')!r}).read())\n"
    writes = f"open({str(files / 'new.txt')!r}, 'w').write('here')\n"
    for name, source in (("reads", reads), ("writes", writes)):
        (files / f"{name}.py").write_text(source)
        done = run("count_gpt2_params", files / f"{name}.py", "--json", folder=files)
        assert done.returncode == 1
        assert "Error" in json.loads(done.stdout)["error"]
        assert "4142" not in done.stdout + done.stderr
    assert not (files / "new.txt").exists()


def test_text_for_people(files):
    done = run(
        "count_gpt2_params", files / "wrong.py", files / "right.py", "--seed", 9, folder=files
    )
    assert done.returncode == 1
    assert "The position table is not counted" in done.stdout
    assert "all right" in done.stdout
    assert "1 of 2 passed (seed 9)" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("no_such_exercise", "right.py"),
        ("count_gpt2_params",),
        ("count_gpt2_params", "missing.py"),
        ("count_gpt2_params", "right.py", "--seed", "-1"),
        ("count_gpt2_params", "right.py", "--seed", "many"),
    ],
)
def test_unusable_input_is_status_2_with_a_reason(files, arguments):
    names = [files / a if a.endswith(".py") else a for a in arguments]
    done = run(*names, folder=files)
    assert done.returncode == 2
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("as_json", [True, False])
def test_what_a_file_says_commands_no_terminal(files, as_json):
    head = "def count_gpt2_params(V, T, d, L, tied=True, bias=True):"
    source = head + "\n    raise ValueError({!r})\n"
    said = "a\x1b[2Jb\x9b31mc\x07d\re\u202ef\x7fg"
    (files / "said.py").write_text(source.format(said), encoding="utf-8")
    done = run("count_gpt2_params", files / "said.py", *["--json"] * as_json, folder=files)
    assert done.returncode == 1
    assert "ValueError" in done.stdout
    assert all(c == "\n" or c.isprintable() for c in done.stdout)


def test_without_a_wall_it_asks_before_it_runs_a_file_with_your_rights(files, monkeypatch, capsys):
    from course_lib.checks import __main__ as command

    monkeypatch.setattr(command, "wall_is_here", lambda: False)
    touched = files / "touched"
    source = f"open({str(touched)!r}, 'w').close()\n{RIGHT}"
    (files / "writes.py").write_text(source, encoding="utf-8")
    arguments = ["count_gpt2_params", str(files / "writes.py")]
    with pytest.raises(SystemExit) as stopped:
        command.main(arguments)
    assert stopped.value.code == 2
    assert "--unsafe" in capsys.readouterr().err
    assert not touched.exists()
    assert command.main([*arguments, "--unsafe"]) == 0
    assert touched.exists()
