"""Check functions in files: python -m course_lib.checks EXERCISE FILE.py… [--json] [--seed N].

Each file is run behind the judge's wall (docs/judge.md), with a time limit; where there is none,
only with --unsafe, in a process of its own with your rights. With --json one line a file is
printed: {"file", "exercise", "passed", "score", "max_score", "diagnoses": [{"id", "title",
"message"}], "error"}. Exit status: 0 all passed, 1 some did not, 2 unusable input.
"""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from course_lib.checks import exercises, max_score
from course_lib.checks.behind_the_wall import check_behind_the_wall, wall_is_here

TIME_LIMIT = 60.0  # seconds for one file


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m course_lib.checks", description=__doc__)
    parser.add_argument("exercise", metavar="EXERCISE", choices=exercises(),
                        help="one of: " + ", ".join(exercises()))  # fmt: skip
    parser.add_argument("files", metavar="FILE.py", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true", help="print one line of JSON a file")
    parser.add_argument(
        "--seed", type=int, help="draw the inputs from this seed (default: at random)"
    )
    parser.add_argument("--time-limit", type=float, default=TIME_LIMIT, metavar="SECONDS")
    parser.add_argument(
        "--unsafe", action="store_true", help="run the files with your rights if there is no wall"
    )
    given = parser.parse_args(arguments)
    if given.seed is not None and given.seed < 0:
        parser.error(f"--seed must be 0 or more, got {given.seed}")
    for file in given.files:
        if not file.is_file():
            parser.error(f"there is no file {file}")
    seed = secrets.randbelow(2**31) if given.seed is None else given.seed
    results = []
    walled = wall_is_here()
    if not walled and not given.unsafe:
        parser.error(
            "there is no wall here (docs/judge.md), so a file could do what you can: say --unsafe "
            "if you have read it, or check it on Linux with the judge installed"
        )
    for file in given.files:
        result = check_file(given.exercise, file, seed, given.time_limit, walled)
        results.append(result)
        print(
            json.dumps(_contract(result)) if given.json else _text(result),
            flush=True,
        )
    if not given.json:
        passed = sum(r["passed"] for r in results)
        print(f"{passed} of {len(results)} passed (seed {seed})")
    return 0 if all(r["passed"] for r in results) else 1


def check_file(
    exercise: str, file: Path, seed: int, limit: float, walled: bool = False
) -> dict[str, Any]:
    """Check the function of the exercise's name in a file; never raises for what is in it."""
    if walled:
        report = check_behind_the_wall(exercise, file, seed, limit)
        error = report.get("error") if "text" not in report else ""
        return {"file": str(file), **report} if not error else _unusable(exercise, file, error)
    return _check_in_a_process(exercise, file, seed, limit)


def _check_in_a_process(exercise: str, file: Path, seed: int, limit: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "report.json"
        command = [sys.executable, "-m", "course_lib.checks.run_file",
                   exercise, str(file), str(seed), str(target)]  # fmt: skip
        error = ""
        try:
            done = subprocess.run(command, timeout=limit, capture_output=True, check=False,
                                  stdin=subprocess.DEVNULL)  # fmt: skip
            if not target.is_file():
                error = f"the process ended early, with status {done.returncode}"
        except subprocess.TimeoutExpired:
            error = f"stopped after {limit:g} seconds: is there an endless loop?"
        if not error:
            report: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
            return {"file": str(file), **report}
    return _unusable(exercise, file, error)


def _unusable(exercise: str, file: Path, error: str) -> dict[str, Any]:
    return {"file": str(file), "exercise": exercise, "passed": False, "score": 0.0,
            "max_score": max_score(exercise), "diagnoses": [], "error": error,
            "text": f"{exercise}: 0 points\n  error: {error}"}  # fmt: skip


def _contract(result: dict[str, Any]) -> dict[str, Any]:
    short = {k: result[k] for k in ("file", "exercise", "passed", "score", "max_score")}
    named = [{k: d[k] for k in ("id", "title", "message")} for d in result["diagnoses"]]
    return {**short, "diagnoses": named, "error": result["error"]}


def _text(result: dict[str, Any]) -> str:
    return _printable(f"{result['file']}\n{result['text']}\n")


def _printable(text: str) -> str:
    """Take out what would command a terminal: a file's code can make up names and texts."""
    kept = (c if c == "\n" or c.isprintable() else "�" for c in text)
    return "".join(kept)


if __name__ == "__main__":
    sys.exit(main())
