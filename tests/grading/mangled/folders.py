"""The manglings of a student's folder: misnamed, misplaced, linked, or none at all."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.grading.mangled.assignment import as_bytes, released_notebook


@dataclass(frozen=True)
class FolderMangling:
    """One way to hand in the good submission wrongly.

    make: puts things into an empty folder, given the good submission's bytes. found: the path
    that must be read, None if there is nothing to read. remarks: the kinds that must be among the
    remarks. ignored: names that must be told as left alone.
    """

    name: str
    make: Callable[[Path, bytes], None]
    found: str | None
    remarks: frozenset[str] = frozenset()
    needs_look: bool = False
    ignored: frozenset[str] = frozenset()


FOLDER_MANGLINGS: list[FolderMangling] = []
Make = Callable[[Path, bytes], None]


def listed(
    found: str | None,
    *remarks: str,
    needs_look: bool = False,
    ignored: tuple[str, ...] = (),
) -> Callable[[Make], Make]:
    """List a function that makes a folder."""

    def decorate(make: Make) -> Make:
        FOLDER_MANGLINGS.append(
            FolderMangling(
                make.__name__, make, found, frozenset(remarks), needs_look, frozenset(ignored)
            )
        )
        return make

    return decorate


@listed("homework.ipynb")
def rightly_named(folder: Path, data: bytes) -> None:
    (folder / "homework.ipynb").write_bytes(data)


@listed("homework.ipynb", ignored=("numpy.py", "notes/notes.txt"))
def other_files_beside_it(folder: Path, data: bytes) -> None:
    (folder / "homework.ipynb").write_bytes(data)
    (folder / "numpy.py").write_text("raise SystemExit")
    (folder / "notes").mkdir()
    (folder / "notes" / "notes.txt").write_text("my notes")


@listed("homework (1).ipynb", "misnamed_file")
def downloaded_twice(folder: Path, data: bytes) -> None:
    (folder / "homework (1).ipynb").write_bytes(data)


@listed("homework-Copy1.ipynb", "misnamed_file")
def copied_in_jupyter(folder: Path, data: bytes) -> None:
    (folder / "homework-Copy1.ipynb").write_bytes(data)


@listed("homework_jane_doe.ipynb", "misnamed_file")
def name_of_the_student_behind(folder: Path, data: bytes) -> None:
    (folder / "homework_jane_doe.ipynb").write_bytes(data)


@listed("janedoe_LATE_123_456_homework.ipynb", "misnamed_file")
def name_of_an_lms_before(folder: Path, data: bytes) -> None:
    (folder / "janedoe_LATE_123_456_homework.ipynb").write_bytes(data)


@listed("HomeWork.IPYNB", "misnamed_file")
def other_case(folder: Path, data: bytes) -> None:
    (folder / "HomeWork.IPYNB").write_bytes(data)


@listed("homework.ipynb.txt", "misnamed_file")
def ending_of_a_mail_program(folder: Path, data: bytes) -> None:
    (folder / "homework.ipynb.txt").write_bytes(data)


@listed("homework.json", "misnamed_file")
def ending_of_json(folder: Path, data: bytes) -> None:
    (folder / "homework.json").write_bytes(data)


@listed("homework.py", "misnamed_file")
def script(folder: Path, data: bytes) -> None:
    (folder / "homework.py").write_bytes(data)


@listed("homework.ipynb", ignored=("homework.html", "homework.py", "homework.zip"))
def exports_beside_it(folder: Path, data: bytes) -> None:
    for ending in ("ipynb", "html", "py", "zip"):
        (folder / f"homework.{ending}").write_bytes(data)


@listed("homework.zip", "misnamed_file")
def zip_archive(folder: Path, data: bytes) -> None:
    with zipfile.ZipFile(folder / "homework.zip", "w") as archive:
        archive.writestr("homework.ipynb", data)


@listed("homework", "misnamed_file")
def no_ending(folder: Path, data: bytes) -> None:
    (folder / "homework").write_bytes(data)


@listed("week 1/homework/homework.ipynb", "misnamed_file")
def in_a_folder_of_its_own(folder: Path, data: bytes) -> None:
    (folder / "week 1" / "homework").mkdir(parents=True)
    (folder / "week 1" / "homework" / "homework.ipynb").write_bytes(data)


@listed("assignment final.ipynb", "misnamed_file")
def named_at_will(folder: Path, data: bytes) -> None:
    (folder / "assignment final.ipynb").write_bytes(data)


@listed(".ipynb_checkpoints/homework-checkpoint.ipynb", "checkpoint", needs_look=True)
def only_a_checkpoint(folder: Path, data: bytes) -> None:
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "homework-checkpoint.ipynb").write_bytes(data)


@listed("homework.ipynb", ignored=(".ipynb_checkpoints/homework-checkpoint.ipynb",))
def checkpoint_beside_it(folder: Path, data: bytes) -> None:
    only_a_checkpoint(folder, as_bytes(released_notebook()))
    (folder / "homework.ipynb").write_bytes(data)


@listed("homework (1).ipynb", "several_files", "misnamed_file", needs_look=True)
def stub_rightly_named_and_answers_in_a_copy(folder: Path, data: bytes) -> None:
    (folder / "homework.ipynb").write_bytes(as_bytes(released_notebook()))
    (folder / "homework (1).ipynb").write_bytes(data)


@listed("homework.ipynb", "several_files", needs_look=True)
def stub_in_a_newer_copy(folder: Path, data: bytes) -> None:
    (folder / "homework.ipynb").write_bytes(data)
    (folder / "homework-Copy1.ipynb").write_bytes(as_bytes(released_notebook()))
    os.utime(folder / "homework.ipynb", (1e9, 1e9))


@listed("homework.ipynb")
def same_file_twice(folder: Path, data: bytes) -> None:
    (folder / "homework.ipynb").write_bytes(data)
    (folder / "homework (1).ipynb").write_bytes(data)


@listed("homework-new.ipynb", "several_files", "misnamed_file", needs_look=True)
def two_copies_of_which_one_is_newer(folder: Path, data: bytes) -> None:
    for name, changed in (("homework-new.ipynb", data), ("homework-old.ipynb", data + b" ")):
        (folder / name).write_bytes(changed)
    os.utime(folder / "homework-old.ipynb", (1e9, 1e9))


@listed("homework-Copy1.ipynb", "misnamed_file")
def empty_file_of_the_right_name(folder: Path, data: bytes) -> None:
    (folder / "homework.ipynb").write_bytes(b"")
    (folder / "homework-Copy1.ipynb").write_bytes(data)


@listed(None, "missing_file", needs_look=True)
def nothing_at_all(folder: Path, data: bytes) -> None:
    pass


@listed(None, "missing_file", needs_look=True, ignored=("homework.pdf",))
def pdf_alone(folder: Path, data: bytes) -> None:
    (folder / "homework.pdf").write_bytes(b"%PDF-1.7")


@listed(None, "refused_file", needs_look=True, ignored=("homework.ipynb",))
def link_to_a_file_outside(folder: Path, data: bytes) -> None:
    outside = folder.parent / "secret.ipynb"
    outside.write_bytes(data)
    (folder / "homework.ipynb").symlink_to(outside)


@listed(None, "missing_file", needs_look=True, ignored=("week1",))
def link_to_a_folder_outside(folder: Path, data: bytes) -> None:
    outside = folder.parent / "secrets"
    outside.mkdir()
    (outside / "homework.ipynb").write_bytes(data)
    (folder / "week1").symlink_to(outside)


@listed(None, "missing_file", needs_look=True, ignored=("loop",))
def link_to_itself(folder: Path, data: bytes) -> None:
    (folder / "loop").symlink_to(folder)


@listed(None, "refused_file", needs_look=True, ignored=("homework.ipynb",))
def pipe(folder: Path, data: bytes) -> None:
    os.mkfifo(folder / "homework.ipynb")


@listed(None, "missing_file", needs_look=True)
def folder_with_the_name_of_the_notebook(folder: Path, data: bytes) -> None:
    (folder / "homework.ipynb").mkdir()


@listed(None, "file_too_big", needs_look=True)
def file_with_a_hole_of_a_gigabyte(folder: Path, data: bytes) -> None:
    with (folder / "homework.ipynb").open("wb") as file:
        file.truncate(2**30)


@listed("homework\n\x1b[31m.ipynb", "misnamed_file")
def control_characters_in_the_name(folder: Path, data: bytes) -> None:
    (folder / "homework\n\x1b[31m.ipynb").write_bytes(data)
