"""Finding notebooks: several at once, and never a byte from outside the folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from course_lib.grading.submission import find_notebooks, read_bytes
from tests.grading.mangled import good_bytes

NAMES = ("1_gpt2", "2_tied", "2_tied_extra")


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(good_bytes())


def found(folder: Path, names: tuple[str, ...] = NAMES) -> dict[str, str | None]:
    notebooks = find_notebooks(folder, names).notebooks
    return {
        name: one.path.relative_to(folder).as_posix() if one.path else None
        for name, one in notebooks.items()
    }


def test_each_name_gets_its_own_file(tmp_path: Path):
    write(tmp_path, "1_gpt2 (2).ipynb", "2_tied.ipynb", "2_Tied-Extra_jane.ipynb")
    assert found(tmp_path) == {
        "1_gpt2": "1_gpt2 (2).ipynb",
        "2_tied": "2_tied.ipynb",
        "2_tied_extra": "2_Tied-Extra_jane.ipynb",
    }


def test_a_file_is_never_taken_for_two_notebooks(tmp_path: Path):
    write(tmp_path, "2_tied_extra.ipynb")
    assert found(tmp_path) == {"1_gpt2": None, "2_tied": None, "2_tied_extra": "2_tied_extra.ipynb"}


def test_digits_that_run_on_are_another_name(tmp_path: Path):
    write(tmp_path, "11_gpt2.ipynb", "1_gpt23.ipynb")
    assert found(tmp_path)["1_gpt2"] is None


def test_names_in_other_forms_of_unicode_are_the_same(tmp_path: Path):
    write(tmp_path, "u\u0308bung.ipynb")
    assert found(tmp_path, ("\u00fcbung",)) == {"\u00fcbung": "u\u0308bung.ipynb"}


def test_what_is_no_notebook_is_told_as_ignored(tmp_path: Path):
    write(tmp_path, "1_gpt2.ipynb", "numpy.py", "data/x.csv", "2_tied.pdf")
    notebooks = find_notebooks(tmp_path, NAMES)
    assert notebooks.ignored == ("2_tied.pdf", "data/x.csv", "numpy.py")
    (remark,) = notebooks.notebooks["2_tied"].remarks
    assert "2_tied.pdf" in remark.text


def test_thousands_of_files_and_deep_folders_end(tmp_path: Path):
    deep = tmp_path / "/".join(["d"] * 50)
    deep.mkdir(parents=True)
    write(deep, "1_gpt2.ipynb")
    many = tmp_path / "many"
    many.mkdir()
    for number in range(6_000):
        (many / str(number)).touch()

    notebooks = find_notebooks(tmp_path, NAMES)

    assert notebooks.notebooks["1_gpt2"].path is None
    assert len(notebooks.ignored) <= 200


def test_a_missing_folder_holds_nothing(tmp_path: Path):
    assert set(found(tmp_path / "nobody").values()) == {None}


def test_a_linked_folder_is_not_entered(tmp_path: Path):
    write(tmp_path / "real", "1_gpt2.ipynb")
    (tmp_path / "student").symlink_to(tmp_path / "real")
    assert set(found(tmp_path / "student").values()) == {None}


def test_read_bytes_reads_ordinary_files_alone(tmp_path: Path):
    write(tmp_path, "a.ipynb")
    (tmp_path / "link").symlink_to(tmp_path / "a.ipynb")
    os.mkfifo(tmp_path / "pipe")
    assert read_bytes(tmp_path / "a.ipynb") == good_bytes()
    for name in ("link", "pipe", "nobody"):
        with pytest.raises(OSError, match=name):
            read_bytes(tmp_path / name)
    with pytest.raises(OSError, match="directory"):
        read_bytes(tmp_path)
    with pytest.raises(OSError, match="no ordinary file"):
        read_bytes(Path("/dev/zero"))
    with pytest.raises(ValueError, match="100 are allowed"):
        read_bytes(tmp_path / "a.ipynb", limit=100)
