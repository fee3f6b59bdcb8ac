"""Pack what a student needs for a lesson: dist/LESSON-student.zip.

Usage: python scripts/student_bundle.py LESSON

In it: the exercises, the lessons, course_lib, the environment's files and a README. Not in it: the
instructor's notebooks, hidden tests and what draws their seeds, the judge. What this is meant to
protect, and what not, is in docs/instructors.md. The same tree gives the same bytes.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

AS_THEY_ARE = (
    "LICENSE", "LICENSE-prose", "constraints.txt", "environment.yml", "pyproject.toml",
    "docs/models.md",  # a lesson links to it
)  # fmt: skip
SUFFIXES = {".py", ".typed", ".csv", ".json", ".js", ".css", ".html", ".svg", ".png"}
# For grading only.
WITHHELD = ("course_lib/grading", "course_lib/assignment/hidden_inputs.py")
MARKERS = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN TESTS", "END HIDDEN TESTS")


def contents(lesson: str) -> dict[str, bytes]:
    """Return the files of the bundle, name inside it -> bytes, in order."""
    files = {name: REPOSITORY / name for name in AS_THEY_ARE}
    files["README.md"] = REPOSITORY / "docs" / "students.md"
    for path in (
        *_notebooks("exercises", lesson),
        *_notebooks("notebooks", lesson),
        *_course_lib(),
    ):
        files[path.relative_to(REPOSITORY).as_posix()] = path
    return {name: files[name].read_bytes() for name in sorted(files)}


def _notebooks(folder: str, lesson: str) -> list[Path]:
    found = sorted((REPOSITORY / folder / lesson).glob("*.ipynb"))
    if not found:
        raise SystemExit(f"there are no notebooks in {folder}/{lesson}")
    return found


def _course_lib() -> Iterator[Path]:
    for path in (REPOSITORY / "course_lib").rglob("*"):
        name = path.relative_to(REPOSITORY).as_posix()
        withheld = any(name == entry or name.startswith(f"{entry}/") for entry in WITHHELD)
        hidden = any(part.startswith(".") for part in path.relative_to(REPOSITORY).parts)
        if path.is_file() and path.suffix in SUFFIXES and not withheld and not hidden:
            yield path


def marked(files: dict[str, bytes]) -> list[str]:
    """Name the files that hold a marker of a solution or of hidden tests."""
    return [name for name, data in files.items() if any(m.encode() in data for m in MARKERS)]


def pack(files: dict[str, bytes], target: Path, folder: str) -> None:
    """Write the archive; everything lies in one folder."""
    target.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(f"{folder}/{name}", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)


def main() -> int:
    """Read the command line and pack."""
    if len(sys.argv) != 2 or not (REPOSITORY / "solutions" / sys.argv[1]).is_dir():
        known = ", ".join(sorted(path.name for path in (REPOSITORY / "solutions").iterdir()))
        print(f"Name one lesson of: {known}", file=sys.stderr)
        return 2
    lesson = sys.argv[1]
    files = contents(lesson)
    if found := marked(files):
        print(f"Not packed: markers of solutions or hidden tests in {', '.join(found)}",
              file=sys.stderr)  # fmt: skip
        return 1
    target = REPOSITORY / "dist" / f"{lesson}-student.zip"
    pack(files, target, lesson)
    size = target.stat().st_size / 1e6
    print(f"{target.relative_to(REPOSITORY)}: {len(files)} files, {size:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
