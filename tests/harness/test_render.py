"""`make render` on a copy: what it writes, what it keeps, when it writes nothing."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.slow

CELLS = (
    "import sys\nprint('one')\nprint('two', file=sys.stderr)\nprint('three')",
    "'× − σ'",
)


@pytest.fixture(scope="module")
def rendered(new_harness: Callable[[], Any]) -> Any:
    """A copy with one notebook that was rendered, as an editor had left it before."""
    harness = new_harness()
    path = harness.write("05_tied_embedding", *CELLS)
    notebook = json.loads(path.read_text())
    heading = {"cell_type": "markdown", "metadata": {}, "source": "# Who pays for the bytes?"}
    named = {"cell_type": "markdown", "id": "my-own-name", "metadata": {}, "source": "Aside."}
    notebook["cells"] = [heading, named, *notebook["cells"], dict(heading)]
    notebook["cells"][2]["metadata"] = {
        "execution": {"iopub.execute_input": "2026-01-01T00:00:00Z"},
        "tags": ["guess-first"],
        "scrolled": True,
    }
    notebook["metadata"] = {
        "kernelspec": {"name": "mine", "display_name": "My Python", "language": "python"},
        "language_info": {"name": "python", "version": "3.13.1"},
        "course": {"minutes": 20},
        "widgets": {},
    }
    harness.save("05_tied_embedding", notebook)
    harness.done = harness.render()
    assert harness.done.returncode == 0, harness.done.stdout
    return harness


def test_outputs_and_counts_are_written(rendered: Any) -> None:
    first, second = rendered.load("05_tied_embedding")["cells"][2:4]
    assert [first["execution_count"], second["execution_count"]] == [1, 2]
    streams = {out["name"]: "".join(out["text"]) for out in first["outputs"]}
    assert streams == {"stdout": "one\nthree\n", "stderr": "two\n"}
    assert len(first["outputs"]) == 2  # each stream once
    assert second["outputs"][0]["execution_count"] == 2


def test_metadata_says_nothing_of_the_machine(rendered: Any) -> None:
    notebook = rendered.load("05_tied_embedding")
    assert notebook["metadata"] == {
        "course": {"minutes": 20},
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    assert notebook["cells"][2]["metadata"] == {"tags": ["guess-first"]}


def test_cells_without_a_lasting_id_are_named_after_their_words(rendered: Any) -> None:
    ids = [cell["id"] for cell in rendered.load("05_tied_embedding")["cells"]]
    assert ids[0] == "05-tied-embedding-who-pays-for-the-bytes"
    assert ids[1] == "my-own-name"
    assert ids[4] == "05-tied-embedding-who-pays-for-the-bytes-2"
    assert len(set(ids)) == 5
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell_id) for cell_id in ids)


def test_the_file_is_clean_in_git(rendered: Any) -> None:
    data = (rendered.lessons / "05_tied_embedding.ipynb").read_bytes()
    assert data.endswith(b"}\n")
    assert b"\r" not in data
    assert data.startswith(b'{\n "cells"')
    assert "× − σ".encode() in data
    assert str(rendered.folder).encode() not in data


def test_a_second_run_changes_no_byte(rendered: Any) -> None:
    path = rendered.lessons / "05_tied_embedding.ipynb"
    before = path.read_bytes()
    again = rendered.render("--check")
    assert again.returncode == 0, again.stdout
    assert "unchanged" in again.stdout
    assert path.read_bytes() == before


def test_check_names_what_would_change_and_writes_nothing(harness: Any) -> None:
    path = harness.write("stale", "1 + 1")
    before = path.read_bytes()
    done = harness.render("--check", str(path))
    assert done.returncode == 1
    assert f"would change  {path}" in done.stdout
    assert path.read_bytes() == before


def test_a_failing_notebook_is_named_with_its_cell_and_stays_as_it_was(harness: Any) -> None:
    bad = harness.write("bad", "x = 1", "ids = [50]\nraise IndexError('50 is not in 0..49')")
    dead = harness.write("dead", "import os\nos._exit(1)")
    good = harness.write("good", "print('still written')")
    before = bad.read_bytes()
    done = harness.render()
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if str(bad) in line]
    assert re.search(r"FAILED .*IndexError in cell 1 \(bad-ids-50.*: 50 is not in 0\.\.49", line)
    assert re.search(rf"FAILED +{re.escape(str(dead))}: the kernel died in cell 0", done.stdout)
    assert bad.read_bytes() == before
    assert "still written" in good.read_text()
    assert not list(harness.lessons.glob("*.part"))


def test_a_name_that_does_not_exist_is_an_error(harness: Any) -> None:
    done = harness.render("notebooks/lesson-14/09_gone.ipynb")
    assert done.returncode == 2
    assert "no such notebook: notebooks/lesson-14/09_gone.ipynb" in done.stdout
