"""Record what stock nbgrader gives: python -m tests.grading.same_grades [quickstart] [intro].

It takes about 5 s a notebook. The tests compare the judge with the record, and the record with
stock nbgrader for a few of the submissions.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from tests.grading.same_grades import corpus
from tests.grading.same_grades.courses import COURSES, TEXTS, nbgrader, plain


def main(names: list[str]) -> None:
    for name in names or list(COURSES):
        with tempfile.TemporaryDirectory() as folder:
            course = COURSES[name](Path(folder) / name)
            course.release()
            course.hand_in()
            started = time.monotonic()
            done = nbgrader(course.root, "autograde", course.assignment)
            print(done.stderr[-2000:] if done.returncode else "", file=sys.stderr)
            seconds = round(time.monotonic() - started)
            record = {"digest": corpus.digest(*TEXTS[name]), "grades": plain(course.grades())}
        file = corpus.HERE / f"stock_{name}.json"
        file.write_text(json.dumps(record, indent=1) + "\n")
        print(f"{name}: {len(record['grades'])} notebooks in {seconds} s, written to {file.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
