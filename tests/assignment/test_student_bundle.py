"""What is in the students' archive, and what must never be.

The scan reads every file of the archive as text, notebooks with their outputs and metadata.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .conftest import LESSON, ROOT, grading, load, solution_answers, source

# Short lines such as `return x` may stand anywhere.
TELLING = 25


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """Pack from a copy that has all that an instructor's folder may have, and unpack it."""
    root = tmp_path_factory.mktemp("instructor")
    skip = shutil.ignore_patterns("__pycache__", "node_modules")
    for folder in ("course_lib", "exercises", "notebooks", "solutions", "scripts", "docs"):
        shutil.copytree(ROOT / folder, root / folder, ignore=skip)
    for name in ("LICENSE", "LICENSE-prose", "constraints.txt", "environment.yml",
                 "pyproject.toml", "nbgrader_config.py"):  # fmt: skip
        shutil.copy(ROOT / name, root)
    # what must not get in
    (root / "course_lib" / "grading").mkdir(exist_ok=True)
    (root / "course_lib" / "grading" / "secret.py").write_text("SEED = 20251\n")
    for stray in ("exercises/lesson-14/.ipynb_checkpoints/1_gpt2-checkpoint.ipynb",
                  "notebooks/lesson-14/.ipynb_checkpoints/x.ipynb",
                  "course_lib/.ipynb_checkpoints/y.py", "course_lib/gradebook.db",
                  "course_lib/notes.txt", "gradebook.db",
                  "submitted/ada/lesson-14/1_gpt2.ipynb"):  # fmt: skip
        (root / stray).parent.mkdir(parents=True, exist_ok=True)
        (root / stray).write_text("### BEGIN SOLUTION\n")
    done = pack(root)
    assert done.returncode == 0, done.stdout
    target = root / "student"
    with zipfile.ZipFile(root / "dist" / f"{LESSON}-student.zip") as archive:
        archive.extractall(target)
    (top,) = target.iterdir()
    return top


def pack(root):
    return subprocess.run(
        [sys.executable, "scripts/student_bundle.py", LESSON],
        cwd=root, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def files(bundle: Path) -> list[Path]:
    return [path for path in bundle.rglob("*") if path.is_file()]


def texts(bundle: Path) -> dict[str, str]:
    """Read every file; of a notebook all strings, joined lines and all."""
    found = {}
    for path in files(bundle):
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".ipynb":
            text = "\n".join(strings(json.loads(text)))
        found[path.relative_to(bundle).as_posix()] = text
    return found


def strings(node):
    """Yield every string of a JSON document, keys included; a list of lines as one string."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, list) and node and all(isinstance(line, str) for line in node):
        yield "".join(node)
    elif isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from strings(value)


def hidden_regions(solutions):
    for notebook in solutions.values():
        for cell in notebook["cells"]:
            yield from re.findall(r"BEGIN HIDDEN TESTS\n(.*?)### END", source(cell), re.DOTALL)


def answer_lines(solutions) -> set[str]:
    """Give the telling lines of the instructor's answers, code and prose."""
    found = set()
    for notebook in solutions.values():
        for cell in notebook["cells"]:
            if not grading(cell).get("solution"):
                continue
            regions = re.findall(r"BEGIN SOLUTION\n(.*?)### END", source(cell), re.DOTALL)
            for region in regions or [source(cell)]:
                found |= {line.strip() for line in region.splitlines()}
    return {line for line in found if len(line) > TELLING}


def test_it_holds_what_a_student_needs(bundle):
    names = {path.relative_to(bundle).as_posix() for path in files(bundle)}
    assert {f"exercises/{LESSON}/{name}.ipynb" for name in load("exercises")} <= names
    assert {
        f"notebooks/{LESSON}/{p.name}" for p in (ROOT / "notebooks" / LESSON).glob("*.ipynb")
    } <= names
    assert {"README.md", "pyproject.toml", "constraints.txt", "environment.yml", "LICENSE"} <= names
    assert {"course_lib/gpt.py", "course_lib/py.typed", "course_lib/counting/models.csv"} <= names


def test_it_holds_nothing_of_the_instructors(bundle):
    names = [path.relative_to(bundle).as_posix() for path in files(bundle)]
    for name in names:
        assert not name.startswith(("solutions/", "submitted/", "course_lib/grading/", "tests/"))
        assert not name.endswith((".db", ".txt", ".pyc")) or name == "constraints.txt"
        assert ".ipynb_checkpoints" not in name
    assert "course_lib/assignment/hidden_inputs.py" not in names
    assert "nbgrader_config.py" not in names


def test_no_file_holds_a_line_of_a_solution(bundle, solutions):
    lines = answer_lines(solutions)
    assert len(lines) > 40  # the test can fail
    for name, text in texts(bundle).items():
        there = {line.strip() for line in text.splitlines()}
        assert not lines & there, f"{name} holds {lines & there}"


def test_no_file_holds_a_hidden_line_or_a_seed(bundle, solutions):
    regions = list(hidden_regions(solutions))
    assert len(regions) == 14
    lines = {line.strip() for region in regions for line in region.splitlines() if line.strip()}
    for name, text in texts(bundle).items():
        for word in (*lines, "BEGIN HIDDEN", "BEGIN SOLUTION", "COURSE_HIDDEN_SEED", "20251"):
            assert word not in text, f"{name} holds {word!r}"


def test_exercises_in_it_were_never_run(bundle):
    for path in (bundle / "exercises").rglob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert not cell.get("outputs")
            assert not cell.get("execution_count")


def test_links_inside_lead_somewhere(bundle):
    pages = {path: "\n".join(strings(json.loads(path.read_text(encoding="utf-8"))))
             for path in bundle.rglob("*.ipynb")}  # fmt: skip
    pages[bundle / "README.md"] = (bundle / "README.md").read_text(encoding="utf-8")
    for path, text in pages.items():
        for link in re.findall(r"\]\(([^)#\s:]+?)\)", text):
            if re.search(r"\.(ipynb|md|py|html)$", link):
                assert (path.parent / link).exists(), f"{path.name} links to {link}"


def test_the_same_tree_gives_the_same_archive(bundle):
    root = bundle.parents[1]
    archive = root / "dist" / f"{LESSON}-student.zip"
    before = archive.read_bytes()
    pack(root)
    assert archive.read_bytes() == before


def test_a_forgotten_marker_is_not_packed(bundle, tmp_path):
    root = tmp_path / "copy"
    shutil.copytree(bundle.parents[1], root, ignore=shutil.ignore_patterns("student", "dist"))
    notebook = root / "exercises" / LESSON / "2_tied_gradient.ipynb"
    notebook.write_text(notebook.read_text().replace("# your answer here", "### BEGIN SOLUTION"))
    done = pack(root)
    assert done.returncode == 1
    assert "exercises/lesson-14/2_tied_gradient.ipynb" in done.stdout
    assert not (root / "dist").exists()


def test_a_student_can_run_every_check_from_the_archive_alone(bundle, exercises, solutions):
    """Only what is in the archive is importable; each check of the untouched notebooks speaks."""
    answers = solution_answers(solutions)
    script = ["import sys", f"sys.path.insert(0, {str(bundle)!r})", "total = 0"]
    for notebook in exercises.values():
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            text = answers.get(grading(cell).get("grade_id", ""), source(cell))
            if grading(cell).get("grade"):
                text = re.sub(r"(?m)^(score_\w+\()", r"result = \1", text)
                text += "\ntotal += result.report.score"
            script.append(text)
    script += ["import course_lib", "print(course_lib.__file__)", "print('points', total)"]
    done = subprocess.run([sys.executable, "-I", "-c", "\n".join(script)], check=False,
                          cwd=bundle, capture_output=True, text=True)  # fmt: skip
    assert str(bundle) in done.stdout, done.stderr
    assert done.stdout.endswith("points 55.0\n")
