"""Metadata, ids, types and kernels that were lost or changed."""

from __future__ import annotations

from tests.grading.mangled.assignment import ANSWERS
from tests.grading.mangled.mangling import (
    ALL,
    Notebook,
    cell,
    on_notebook,
    strip,
    stub,
)

AREA = ANSWERS["area_answer"]
TESTS = ("area-test", "roots-test", "scaled-test")


@on_notebook(remarks={"no_metadata", "found_by_cell_id"})
def nbgrader_metadata_lost(notebook: Notebook) -> None:
    for one in notebook["cells"]:
        one["metadata"] = {}


@on_notebook(remarks={"no_metadata", "found_by_name", "found_by_position"}, needs_look=True)
def all_metadata_and_ids_lost(notebook: Notebook) -> None:
    strip(notebook)
    notebook["metadata"] = {}


@on_notebook(recovered=set(), unchanged=ALL, remarks={"no_metadata"})
def untouched_and_all_metadata_lost(notebook: Notebook) -> None:
    for cell_id in ("area-answer", "roots-answer", "scaled-answer", "why-answer"):
        cell(notebook, cell_id)["source"] = stub(cell_id)
    strip(notebook)


@on_notebook()
def metadata_of_one_answer_lost(notebook: Notebook) -> None:
    cell(notebook, "roots-answer")["metadata"] = {}
    cell(notebook, "roots-answer")["id"] = "new"


@on_notebook(remarks={"no_metadata"})
def metadata_of_odd_types(notebook: Notebook) -> None:
    odd = (None, 3, [], "x", {"nbgrader": None}, {"nbgrader": 5}, {"nbgrader": {"grade_id": 7}})
    for number, one in enumerate(notebook["cells"]):
        one["metadata"] = odd[number % len(odd)]


@on_notebook(remarks={"edited_metadata"})
def points_raised(notebook: Notebook) -> None:
    for cell_id in TESTS:
        cell(notebook, cell_id)["metadata"]["nbgrader"]["points"] = 1e9


@on_notebook(remarks={"edited_metadata"})
def locked_and_solution_flags_changed(notebook: Notebook) -> None:
    for cell_id in TESTS:
        cell(notebook, cell_id)["metadata"]["nbgrader"] |= {"solution": True, "locked": False}
    cell(notebook, "area-answer")["metadata"]["nbgrader"]["solution"] = False


@on_notebook(remarks={"unknown_grade_id", "found_by_cell_id"})
def unknown_grade_id_on_an_answer(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["metadata"]["nbgrader"]["grade_id"] = "cell-0815"


@on_notebook(remarks={"answer_in_wrong_cell"}, needs_look=True)
def grade_ids_exchanged(notebook: Notebook) -> None:
    first = cell(notebook, "area-answer")["metadata"]["nbgrader"]
    second = cell(notebook, "scaled-answer")["metadata"]["nbgrader"]
    first["grade_id"], second["grade_id"] = second["grade_id"], first["grade_id"]


@on_notebook(remarks={"answer_in_test"}, needs_look=True)
def grade_id_of_a_test_on_an_answer(notebook: Notebook) -> None:
    # The text binds what the answer must bind, so it cannot be the test.
    cell(notebook, "area-answer")["metadata"]["nbgrader"]["grade_id"] = "area"


@on_notebook(remarks={"tags"})
def skip_execution_on_tests(notebook: Notebook) -> None:
    for cell_id in TESTS:
        cell(notebook, cell_id)["metadata"]["tags"] = ["skip-execution", "raises-exception"]


@on_notebook(remarks={"tags"})
def live_tags_on_everything(notebook: Notebook) -> None:
    for one in notebook["cells"]:
        one["metadata"]["tags"] = ["judge-live", "judge-in-place", "remove-cell", 3]


@on_notebook(remarks={"changed_cell_type"})
def code_answer_made_text(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["cell_type"] = "markdown"


@on_notebook(remarks={"changed_cell_type"})
def code_answer_made_raw(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["cell_type"] = "raw"


@on_notebook(remarks={"changed_cell_type"})
def code_answer_in_a_fence(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["cell_type"] = "markdown"
    cell(notebook, "area-answer")["source"] = f"```python\n{AREA}\n```"


@on_notebook(
    texts={"area_answer": "I would multiply both sides"},
    worthless={"area_answer"},
    remarks={"unreadable_code"},
    needs_look=True,
)
def prose_in_place_of_code(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["cell_type"] = "markdown"
    cell(notebook, "area-answer")["source"] = "I would multiply both sides"


@on_notebook(remarks={"changed_cell_type"})
def text_answer_made_code(notebook: Notebook) -> None:
    cell(notebook, "why-answer")["cell_type"] = "code"


@on_notebook(remarks={"changed_cell_type"})
def text_answer_behind_a_magic(notebook: Notebook) -> None:
    cell(notebook, "why-answer")["cell_type"] = "code"
    cell(notebook, "why-answer")["source"].insert(0, "%%markdown\n")


@on_notebook()
def every_cell_raw_but_answers(notebook: Notebook) -> None:
    for one in notebook["cells"]:
        if not one["id"].endswith("-answer"):
            one["cell_type"] = "raw"


def _kernel(notebook: Notebook, name: str, language: str, version: str) -> None:
    spec = {"name": name, "display_name": name, "language": language}
    notebook["metadata"] = {
        "kernelspec": spec,
        "language_info": {"name": language, "version": version},
    }


@on_notebook(remarks={"wrong_language"}, needs_look=True)
def kernel_of_r(notebook: Notebook) -> None:
    _kernel(notebook, "ir", "R", "4.4.1")


@on_notebook(remarks={"wrong_language"}, needs_look=True)
def kernel_of_julia(notebook: Notebook) -> None:
    _kernel(notebook, "julia-1.10", "julia", "1.10.4")


@on_notebook(remarks={"wrong_language"}, needs_look=True)
def kernel_of_python_2(notebook: Notebook) -> None:
    _kernel(notebook, "python2", "python", "2.7.18")


@on_notebook(remarks={"other_kernel"})
def kernel_of_another_environment(notebook: Notebook) -> None:
    _kernel(notebook, "conda-env-ml-py", "python", "3.11.4")


@on_notebook()
def kernel_of_odd_types(notebook: Notebook) -> None:
    notebook["metadata"] = {"kernelspec": ["python3"], "language_info": {"name": 3, "version": {}}}


@on_notebook(remarks={"odd_cell_ids"})
def cell_ids_missing_in_part(notebook: Notebook) -> None:
    for one in notebook["cells"][::2]:
        del one["id"]


@on_notebook(remarks={"odd_cell_ids"})
def cell_ids_all_the_same(notebook: Notebook) -> None:
    for one in notebook["cells"]:
        one["id"] = "area-answer"


@on_notebook(remarks={"odd_cell_ids", "found_by_name", "no_metadata"}, needs_look=True)
def cell_ids_all_the_same_without_metadata(notebook: Notebook) -> None:
    for one in notebook["cells"]:
        one["id"], one["metadata"] = "area-answer", {}


@on_notebook(remarks={"odd_cell_ids"})
def cell_ids_invalid(notebook: Notebook) -> None:
    for number, one in enumerate(notebook["cells"]):
        one["id"] = ("ü" * 90, "a b", "", 7, None, "../x")[number % 6]
