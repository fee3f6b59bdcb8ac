"""Finding notebooks: several at once, and never a byte from outside the folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from course_lib.grading.submission import find_notebooks, read_bytes
from course_lib.grading.template import Delimiters, read_template
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


def test_a_notebook_deep_inside_is_found_as_the_data_beside_it_is(tmp_path: Path):
    place = "/".join("abcdefghij") + "/2_tied.ipynb"
    write(tmp_path, place)
    assert found(tmp_path)["2_tied"] == place


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


def notebook_with(*grade_ids: str) -> dict:
    marks = {"grade": False, "solution": True, "locked": False, "task": False, "schema_version": 3}
    cells = [
        {"cell_type": "code", "id": name, "metadata": {"nbgrader": marks | {"grade_id": name}},
         "source": f"{name} = 1", "outputs": [], "execution_count": None}
        for name in grade_ids
    ]  # fmt: skip
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


IDS = {"1_gpt2": ("wte", "wpe"), "2_tied": ("loss", "grad"), "2_tied_extra": ("steps",)}
TEMPLATES = {n: read_template(notebook_with(*ids), Delimiters()) for n, ids in IDS.items()}


def put(folder: Path, name: str, *grade_ids: str) -> None:
    (folder / name).write_text(json.dumps(notebook_with(*grade_ids)))


def test_a_renamed_notebook_is_known_by_its_grade_ids(tmp_path: Path):
    put(tmp_path, "Exercise final.ipynb", "loss", "grad")
    put(tmp_path, "Untitled.ipynb", "wpe", "wte")
    looked = find_notebooks(tmp_path, NAMES, TEMPLATES)
    paths = {name: one.path and one.path.name for name, one in looked.notebooks.items()}
    assert paths == {"1_gpt2": "Untitled.ipynb", "2_tied": "Exercise final.ipynb",
                     "2_tied_extra": None}  # fmt: skip
    (remark,) = looked.notebooks["2_tied"].remarks
    assert remark.text == "Exercise final.ipynb was taken for 2_tied.ipynb, by the grade ids in it."
    assert looked.remarks == ()


def test_of_several_renamed_ones_the_newest_is_taken_and_that_is_told(tmp_path: Path):
    for when, name in enumerate(("draft.ipynb", "done.ipynb")):
        put(tmp_path, name, "loss", "grad", *["more"] * when)
        os.utime(tmp_path / name, (1e9 + when, 1e9 + when))
    one = find_notebooks(tmp_path, NAMES, TEMPLATES).notebooks["2_tied"]
    assert one.path == tmp_path / "done.ipynb"
    assert "several_files" in {remark.kind for remark in one.remarks}


def test_a_notebook_that_fits_none_is_named_for_a_person(tmp_path: Path):
    put(tmp_path, "1_gpt2.ipynb", "wte", "wpe")
    put(tmp_path, "thoughts.ipynb", "other")
    looked = find_notebooks(tmp_path, NAMES, TEMPLATES)
    assert looked.notebooks["2_tied"].path is None
    (remark,) = looked.remarks
    assert remark.needs_look
    assert remark.text == "Not used, while 2 of 3 notebooks are missing: thoughts.ipynb."


def test_a_notebook_that_is_not_handed_in_alone_needs_no_look(tmp_path: Path):
    put(tmp_path, "1_gpt2.ipynb", "wte", "wpe")
    looked = find_notebooks(tmp_path, NAMES, TEMPLATES)
    remarks = [r for one in looked.notebooks.values() for r in one.remarks]
    assert [remark.text for remark in remarks] == [
        "There is no 2_tied.ipynb.", "There is no 2_tied_extra.ipynb.",
    ]  # fmt: skip
    assert not any(remark.needs_look for remark in (*remarks, *looked.remarks))


def test_who_handed_in_nothing_or_a_pdf_alone_is_named_once(tmp_path: Path):
    texts = []
    for name in ("", "essay.pdf"):
        if name:
            (tmp_path / name).write_bytes(b"%PDF-1.7")
        looked = find_notebooks(tmp_path, NAMES, TEMPLATES)
        assert not any(r.needs_look for one in looked.notebooks.values() for r in one.remarks)
        (remark,) = looked.remarks
        assert remark.needs_look
        texts.append(remark.text)
    assert texts == [
        "None of the 3 notebooks was handed in.",
        "None of the 3 notebooks was handed in; what is there could not be used: essay.pdf.",
    ]
