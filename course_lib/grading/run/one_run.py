"""One run at a time in a course: a second one would only wait for the first one's grades."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from course_lib.grading.run.course import CourseError

LOCK_FILE = ".judge.lock"


@contextmanager
def only_run(root: Path) -> Iterator[None]:
    """Hold the course's lock; the system drops it with the process, however that ends.

    Raises:
        CourseError: another run holds it.
    """
    try:
        import fcntl
    except ImportError:  # Windows; there the judge does not run without --unsafe anyway
        yield
        return
    with (root / LOCK_FILE).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CourseError(
                f"another run is grading the course in {root}: wait for it, or stop it"
            ) from error
        except OSError:
            pass  # a file system without locks
        yield
