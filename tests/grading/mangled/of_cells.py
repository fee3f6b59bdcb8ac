"""Cells that were copied, deleted, moved, retyped, split or merged."""

from __future__ import annotations

import copy

from tests.grading.mangled.assignment import ANSWERS
from tests.grading.mangled.mangling import (
    ALL,
    Notebook,
    at,
    cell,
    code,
    on_notebook,
    stub,
    text,
    without,
)

AREA, ROOTS, SCALED, WHY = (ANSWERS[name] for name in ANSWERS)


@on_notebook()
def nothing(notebook: Notebook) -> None:
    pass


@on_notebook(recovered=set(), unchanged=ALL)
def untouched(notebook: Notebook) -> None:
    for cell_id in ("area-answer", "roots-answer", "scaled-answer", "why-answer"):
        cell(notebook, cell_id)["source"] = stub(cell_id)


@on_notebook(recovered=set(), unchanged=ALL)
def only_blanks_added(notebook: Notebook) -> None:
    for cell_id in ("area-answer", "roots-answer", "scaled-answer", "why-answer"):
        lines = [line.rstrip("\n") + "  \r\n" for line in stub(cell_id)]
        cell(notebook, cell_id)["source"] = [*lines, "\n", "\n"]


@on_notebook(texts={"area_answer": ""}, worthless={"area_answer"})
def cleared_answer(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["source"] = []


@on_notebook(remarks={"copied_test"})
def copied_test_cell(notebook: Notebook) -> None:
    notebook["cells"].append(copy.deepcopy(cell(notebook, "area-test")) | {"id": "copy"})


@on_notebook()
def copied_test_without_metadata(notebook: Notebook) -> None:
    twin = code("".join(cell(notebook, "scaled-test")["source"]) + "\nprint('passed')")
    notebook["cells"].insert(at(notebook, "roots-task"), twin)


@on_notebook(remarks={"duplicated_cell"})
def stub_left_below_the_answer(notebook: Notebook) -> None:
    twin = copy.deepcopy(cell(notebook, "area-answer")) | {"source": stub("area-answer")}
    notebook["cells"].insert(at(notebook, "area-answer") + 1, twin | {"id": "copy"})


@on_notebook(remarks={"duplicated_cell"})
def stub_left_above_the_answer(notebook: Notebook) -> None:
    twin = copy.deepcopy(cell(notebook, "area-answer")) | {"source": stub("area-answer")}
    notebook["cells"].insert(at(notebook, "area-answer"), twin | {"id": "copy"})


@on_notebook(remarks={"duplicated_cell"})
def same_answer_twice(notebook: Notebook) -> None:
    twin = copy.deepcopy(cell(notebook, "area-answer")) | {"id": "copy"}
    notebook["cells"].insert(at(notebook, "area-answer"), twin)


@on_notebook(remarks={"several_answers"}, needs_look=True)
def two_different_answers(notebook: Notebook) -> None:
    twin = copy.deepcopy(cell(notebook, "area-answer")) | {"id": "copy"}
    twin["source"] = ["def area(width, height):\n", "    return width + height"]
    notebook["cells"].insert(at(notebook, "area-answer"), twin)


@on_notebook(remarks={"several_answers"}, needs_look=True)
def two_different_text_answers(notebook: Notebook) -> None:
    twin = copy.deepcopy(cell(notebook, "why-answer")) | {
        "id": "copy",
        "source": ["I am not sure."],
    }
    notebook["cells"].insert(at(notebook, "why-answer"), twin)


@on_notebook(extra=("print(area(4, 5))",), remarks={"answer_in_several_cells"})
def scratch_in_a_copy_of_the_answer_cell(notebook: Notebook) -> None:
    twin = copy.deepcopy(cell(notebook, "area-answer")) | {"id": "copy"}
    twin["source"] = ["print(area(4, 5))"]
    notebook["cells"].insert(at(notebook, "roots-task"), twin)


@on_notebook(remarks={"missing_test"})
def tests_deleted(notebook: Notebook) -> None:
    notebook["cells"] = [one for one in notebook["cells"] if not one["id"].endswith("-test")]


@on_notebook(recovered=without("area_answer"), remarks={"missing_answer"}, needs_look=True)
def answer_deleted(notebook: Notebook) -> None:
    del notebook["cells"][at(notebook, "area-answer")]


@on_notebook(recovered=without("why"), remarks={"missing_answer"}, needs_look=True)
def text_answer_deleted(notebook: Notebook) -> None:
    del notebook["cells"][at(notebook, "why-answer")]


@on_notebook()
def setup_and_prose_deleted(notebook: Notebook) -> None:
    kept = ("area-answer", "area-test", "roots-answer", "scaled-answer", "why-answer")
    notebook["cells"] = [one for one in notebook["cells"] if one["id"] in kept]


@on_notebook(remarks={"moved_cell"})
def answer_moved_to_the_end(notebook: Notebook) -> None:
    notebook["cells"].append(notebook["cells"].pop(at(notebook, "area-answer")))


@on_notebook(remarks={"moved_cell"})
def all_cells_in_reverse(notebook: Notebook) -> None:
    notebook["cells"].reverse()


@on_notebook(
    recovered=without("area_answer"),
    unchanged={"area_answer"},
    elsewhere={"area_answer"},
    extra=(AREA,),
    remarks={"retyped_answer"},
)
def answer_retyped_below_its_stub(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["source"] = stub("area-answer")
    notebook["cells"].insert(at(notebook, "area-test"), code(AREA))


@on_notebook(
    recovered=without("roots_answer"),
    unchanged={"roots_answer"},
    elsewhere={"roots_answer"},
    extra=(ROOTS,),
    remarks={"retyped_answer"},
)
def answer_retyped_above_its_stub(notebook: Notebook) -> None:
    cell(notebook, "roots-answer")["source"] = stub("roots-answer")
    notebook["cells"].insert(at(notebook, "roots-answer"), code(ROOTS))


@on_notebook(
    recovered=without("area_answer", "scaled_answer"),
    unchanged={"area_answer", "scaled_answer"},
    elsewhere={"area_answer", "scaled_answer"},
    extra=(AREA, SCALED),
    remarks={"retyped_answer"},
)
def answers_retyped_at_the_end(notebook: Notebook) -> None:
    for cell_id, answer in (("area-answer", AREA), ("scaled-answer", SCALED)):
        cell(notebook, cell_id)["source"] = stub(cell_id)
        notebook["cells"].append(code(answer, f"own-{cell_id}"))


@on_notebook(remarks={"found_by_name"})
def answer_retyped_and_its_cell_deleted(notebook: Notebook) -> None:
    notebook["cells"][at(notebook, "area-answer")] = code(AREA)


@on_notebook(remarks={"retyped_answer"})
def text_answer_retyped_below_its_stub(notebook: Notebook) -> None:
    cell(notebook, "why-answer")["source"] = stub("why-answer")
    notebook["cells"].insert(at(notebook, "why-answer") + 1, text(WHY))


@on_notebook(texts={"why": f"{WHY}\n\nAnd so on."}, remarks={"retyped_answer"})
def text_answer_retyped_in_two_cells(notebook: Notebook) -> None:
    cell(notebook, "why-answer")["source"] = stub("why-answer")
    place = at(notebook, "why-answer") + 1
    notebook["cells"][place:place] = [text(WHY), text("And so on.", "own-text-2")]


@on_notebook(texts={"scaled_answer": SCALED}, remarks={"split_answer"})
def answer_split_inside_the_function(notebook: Notebook) -> None:
    first = cell(notebook, "scaled-answer")
    first["source"] = ["def scaled(x):\n", "    grown = x * SCALE"]
    notebook["cells"].insert(at(notebook, "scaled-test"), code("    return grown"))


@on_notebook(texts={"scaled_answer": SCALED}, remarks={"split_answer"})
def answer_split_into_cells_of_the_same_id(notebook: Notebook) -> None:
    first = cell(notebook, "scaled-answer")
    rest = copy.deepcopy(first) | {"id": "rest", "source": ["    return grown"]}
    first["source"] = ["def scaled(x):\n", "    grown = x * SCALE"]
    notebook["cells"].insert(at(notebook, "scaled-test"), rest)


@on_notebook(
    texts={"roots_answer": "small_root = (\n    2)\nlarge_root = 3"}, remarks={"split_answer"}
)
def answer_split_inside_brackets(notebook: Notebook) -> None:
    cell(notebook, "roots-answer")["source"] = ["small_root = ("]
    notebook["cells"].insert(at(notebook, "roots-test"), code("    2)\nlarge_root = 3"))


@on_notebook(
    texts={"scaled_answer": "def scaled(x):\n    return grow(x)"},
    extra=("def grow(x):",),
)
def answer_with_its_helper_in_a_cell_below(notebook: Notebook) -> None:
    cell(notebook, "scaled-answer")["source"] = ["def scaled(x):\n", "    return grow(x)"]
    helper = code("def grow(x):\n    return SCALE * x")
    notebook["cells"].insert(at(notebook, "scaled-test"), helper)


@on_notebook(
    texts={"scaled_answer": "def scaled(x):\n    return grow(x)"},
    extra=("def grow(x):",),
    remarks={"answer_in_several_cells"},
)
def helper_split_off_with_the_same_id(notebook: Notebook) -> None:
    main = cell(notebook, "scaled-answer")
    helper = copy.deepcopy(main) | {"id": "helper"}
    helper["source"] = ["def grow(x):\n", "    return SCALE * x"]
    main["source"] = ["def scaled(x):\n", "    return grow(x)"]
    notebook["cells"].insert(at(notebook, "scaled-answer"), helper)


@on_notebook(texts={"area_answer": f"{AREA}\n\n{ROOTS}\n\n{SCALED}"}, remarks={"retyped_answer"})
def all_answers_merged_into_the_first(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["source"] = [f"{AREA}\n\n{ROOTS}\n\n{SCALED}"]
    for cell_id in ("roots-answer", "scaled-answer"):
        del notebook["cells"][at(notebook, cell_id)]


@on_notebook(
    recovered=without("roots_answer", "scaled_answer"),
    texts={"area_answer": f"{AREA}\n\n{ROOTS}\n\n{SCALED}"},
    unchanged={"roots_answer", "scaled_answer"},
    elsewhere={"roots_answer", "scaled_answer"},
    extra=(ROOTS, SCALED),
    remarks={"retyped_answer"},
)
def all_answers_in_the_first_cell(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["source"] = [f"{AREA}\n\n{ROOTS}\n\n{SCALED}"]
    for cell_id in ("roots-answer", "scaled-answer"):
        cell(notebook, cell_id)["source"] = stub(cell_id)


@on_notebook(recovered=without("scaled_answer"), remarks={"answer_in_wrong_cell"}, needs_look=True)
def answer_pasted_into_the_cell_of_another(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["source"] = stub("area-answer")
    cell(notebook, "scaled-answer")["source"] = AREA.splitlines(keepends=True)


@on_notebook(remarks={"answer_in_wrong_cell"}, needs_look=True)
def two_answers_in_each_others_cells(notebook: Notebook) -> None:
    first, second = cell(notebook, "area-answer"), cell(notebook, "scaled-answer")
    first["source"], second["source"] = second["source"], first["source"]


@on_notebook(
    recovered=without("area_answer"),
    unchanged={"area_answer"},
    elsewhere={"area_answer"},
    extra=(AREA,),
    remarks={"answer_in_test", "edited_test"},
    needs_look=True,
)
def answer_typed_into_the_test(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["source"] = stub("area-answer")
    cell(notebook, "area-test")["source"].insert(0, AREA + "\n\n")


@on_notebook(remarks={"edited_test"})
def asserts_taken_out_of_the_tests(notebook: Notebook) -> None:
    for cell_id in ("area-test", "roots-test", "scaled-test"):
        cell(notebook, cell_id)["source"] = ["assert True"]


@on_notebook(remarks={"edited_test"})
def locked_cell_edited(notebook: Notebook) -> None:
    cell(notebook, "given")["source"] = ["def given(x):\n", "    return 6"]


@on_notebook()
def test_cell_split(notebook: Notebook) -> None:
    test = cell(notebook, "area-test")
    rest = code(test["source"].pop())
    notebook["cells"].insert(at(notebook, "roots-task"), rest)


@on_notebook(extra=("SCALE = 30",), worthless={"scaled_answer"}, remarks={"edited_setup"})
def setup_edited(notebook: Notebook) -> None:
    source = ["import math\n", "\n", "SCALE = 30\n", "print(math.pi)"]
    cell(notebook, "setup")["source"] = source


@on_notebook(extra=("SCALE = 30",), worthless={"scaled_answer"})
def setup_rewritten(notebook: Notebook) -> None:
    notebook["cells"][at(notebook, "setup")] = code("SCALE = 30\nimport numpy as np")


@on_notebook(remarks={"edited_text", "answer_in_question"}, needs_look=True)
def answer_typed_into_the_question(notebook: Notebook) -> None:
    cell(notebook, "why-answer")["source"] = stub("why-answer")
    cell(notebook, "why-task")["source"].append(f"\n\n{WHY}")


@on_notebook(extra=("import numpy", "numpy.ones(3)", "area(3, 4)"))
def scratch_cells_everywhere(notebook: Notebook) -> None:
    notebook["cells"].insert(0, code("import numpy", "scratch-1"))
    notebook["cells"].insert(at(notebook, "area-answer"), code("numpy.ones(3)", "scratch-2"))
    notebook["cells"].append(code("area(3, 4)", "scratch-3"))
    notebook["cells"].append(code("", "empty"))


@on_notebook(
    texts={"area_answer": AREA.replace("area(", "surface(")},
    worthless={"area_answer"},
    remarks={"found_by_position"},
    needs_look=True,
)
def function_renamed_and_metadata_lost(notebook: Notebook) -> None:
    renamed = AREA.replace("area(", "surface(")
    notebook["cells"][at(notebook, "area-answer")] = code(renamed)
