"""Run a whole lesson: its notebooks under nbval, its scripts, its table of expected numbers.

Usage: python scripts/run_lesson.py lesson-14

Every step runs, also after one that failed. The last lines say what failed. Exit status: 0 all
well, 1 something differs or failed, 2 no such lesson.
"""

from __future__ import annotations

import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "notebooks"))

from lesson_guard.kernel_environment import fixed_environment  # noqa: E402  (lies in notebooks/)

# The table comes last: it is what a reader looks for.
SCRIPTS = {
    "lesson-14": ("gpt_forward.py", "param_count.py", "gpt2_model.py", "expected_values.py"),
}
NBVAL = (
    "-m", "pytest", "--nbval", "--nbval-cell-timeout=60", "--continue-on-collection-errors",
    "-p", "nbval", "-p", "xdist", "-n", "2", "--dist", "loadfile",
    "-p", "no:cacheprovider", "-q", "-rsx", "--tb=short",
)  # fmt: skip


def run(title: str, command: list[str], environment: dict[str, str]) -> bool:
    """Run one step in the repository's folder, its output passing through; give whether it passed.

    In a terminal and in a log alike, a line above says what runs and one below how it ended.
    """
    print(f"\n=== {title}", flush=True)
    start = time.perf_counter()
    status = subprocess.run(
        [sys.executable, *command], cwd=REPOSITORY, env=environment, check=False
    ).returncode
    verdict = "ok" if status == 0 else f"FAILED, exit status {status}"
    print(f"=== {title}: {verdict} ({time.perf_counter() - start:.1f} s)", flush=True)
    return status == 0


def failed_cells(junit: Path) -> list[str]:
    """Name the notebook cells that a JUnit report lists as failed, or say that there is none."""
    if not junit.is_file():
        return ["notebooks: the run ended before its report"]
    cases = ET.parse(junit).iter("testcase")
    bad = [case for case in cases if {"failure", "error"} & {child.tag for child in case}]
    return [f"{case.get('classname')}: {case.get('name')}".strip(": ") for case in bad]


def run_lesson(lesson: str) -> list[str]:
    """Run all steps of a lesson; name what failed."""
    junit = REPOSITORY / "build" / f"{lesson}.xml"
    junit.unlink(missing_ok=True)
    failures = []
    with fixed_environment() as kernels:
        notebooks = f"notebooks/{lesson}"
        # Loading only the plugins named above saves the start of all the others.
        only_named = kernels | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        if not run(notebooks, [*NBVAL, f"--junitxml={junit}", notebooks], only_named):
            failures += failed_cells(junit) or [notebooks]
        for name in SCRIPTS[lesson]:
            script = f"scripts/{lesson}/{name}"
            if not run(script, [script], kernels | {"MPLBACKEND": "agg"}):
                failures.append(script)
    return failures


def main() -> int:
    """Read the command line, run the lesson and sum up."""
    if len(sys.argv) != 2 or sys.argv[1] not in SCRIPTS:
        print(f"Name one lesson of: {', '.join(SCRIPTS)}", file=sys.stderr)
        return 2
    start = time.perf_counter()
    failures = run_lesson(sys.argv[1])
    seconds = f"{time.perf_counter() - start:.1f} s"
    if not failures:
        print(f"\n{sys.argv[1]}: all well ({seconds})")
        return 0
    print(f"\n{sys.argv[1]}: {len(failures)} FAILED ({seconds})")
    print("\n".join(f"  FAILED {failure}" for failure in failures))
    return 1


if __name__ == "__main__":
    sys.exit(main())
