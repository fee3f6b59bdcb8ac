"""Files that are damaged, in another encoding, too big, or no notebook at all."""

from __future__ import annotations

import json
import pickle
import zlib
from typing import Any

from tests.grading.mangled.assignment import ANSWERS, as_bytes, released_notebook
from tests.grading.mangled.mangling import (
    Notebook,
    cell,
    code,
    on_bytes,
    on_notebook,
    text,
    without,
)

AREA, ROOTS, SCALED, WHY = (ANSWERS[name] for name in ANSWERS)
NOTHING: dict[str, Any] = {"recovered": set(), "legible": False, "needs_look": True}


# ---------------------------------------------------------------- no notebook


@on_bytes(**NOTHING, remarks={"empty_file"})
def empty(data: bytes) -> bytes:
    return b""


@on_bytes(**NOTHING, remarks={"empty_file"})
def only_blanks_and_zeros(data: bytes) -> bytes:
    return b"\0" * 4096 + b"\n\n"


@on_bytes(**NOTHING, remarks={"no_notebook"})
def pdf(data: bytes) -> bytes:
    return b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n" + zlib.compress(data)


@on_bytes(**NOTHING, remarks={"no_notebook"})
def zip_that_is_broken(data: bytes) -> bytes:
    return b"PK\x03\x04" + zlib.compress(data)


@on_bytes(**NOTHING, remarks={"no_notebook"})
def web_page_of_a_login(data: bytes) -> bytes:
    return b"\n<!DOCTYPE html>\n<html><body>Please log in to download homework.ipynb</body></html>"


@on_bytes(**NOTHING, remarks={"no_notebook"})
def pickle_of_the_notebook(data: bytes) -> bytes:
    return pickle.dumps(json.loads(data))


@on_bytes(**NOTHING, remarks={"no_notebook"})
def pointer_of_git_lfs(data: bytes) -> bytes:
    return b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


@on_bytes(**NOTHING)
def noise(data: bytes) -> bytes:
    return bytes(7 * i * i % 251 for i in range(5000))


@on_bytes(**NOTHING, remarks={"nothing_recognised"})
def prose(data: bytes) -> bytes:
    return b"Dear teacher,\n\nI could not open the notebook. Sorry!\n"


@on_bytes(**NOTHING, remarks={"nothing_recognised"})
def object_without_cells(data: bytes) -> bytes:
    return b"{}"


@on_notebook(**NOTHING, remarks={"nothing_recognised"})
def notebook_of_another_assignment(notebook: Notebook) -> Any:
    other = [
        text("# Another homework\n\nAbout something else."),
        code("import math\n\nSCALE = 3\nprint(math.pi)", "setup"),
        code("def perimeter(a, b):\n    return 2 * (a + b)", "a", nbgrader={"grade_id": "ex1"}),
        code("assert perimeter(1, 2) == 6", "b", nbgrader={"grade_id": "ex1_test", "grade": True}),
    ]
    return notebook | {"cells": other}


# ---------------------------------------------------------------- encodings


@on_bytes(remarks={"byte_order_mark"})
def byte_order_mark(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


@on_bytes(remarks={"encoding"})
def utf_16(data: bytes) -> bytes:
    return data.decode().encode("utf-16")


@on_bytes(remarks={"encoding"})
def utf_16_without_a_mark(data: bytes) -> bytes:
    return data.decode().encode("utf-16-le")


@on_bytes(remarks={"encoding"})
def utf_32(data: bytes) -> bytes:
    return data.decode().encode("utf-32")


@on_bytes(remarks={"encoding"})
def latin_1_of_windows(data: bytes) -> bytes:
    return data.decode().encode("cp1252", "ignore")


@on_bytes()
def line_ends_of_windows(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


@on_notebook()
def line_ends_of_windows_in_the_cells(notebook: Notebook) -> None:
    for one in notebook["cells"]:
        one["source"] = [line.replace("\n", "\r\n") for line in one["source"]]


@on_bytes(remarks={"byte_order_mark", "script"}, needs_look=True, recovered=without("why"))
def script_with_a_mark_and_line_ends_of_windows(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + f"{AREA}\n\n{ROOTS}\n\n{SCALED}".replace("\n", "\r\n").encode()


# ---------------------------------------------------------------- damage


@on_bytes(recovered=without("why"), remarks={"broken_json"}, needs_look=True)
def cut_short_in_the_last_answer(data: bytes) -> bytes:
    return data[: data.index(b"Because the") + 20]


@on_bytes(recovered={"area_answer"}, remarks={"broken_json", "missing_answer"}, needs_look=True)
def cut_short_in_the_middle(data: bytes) -> bytes:
    return data[: data.index(b"small_root") + 5]


@on_bytes(remarks={"broken_json"}, needs_look=True)
def end_of_the_file_lost(data: bytes) -> bytes:
    return data[: data.index(b'"kernelspec"')]


@on_bytes(recovered=without("area_answer"), remarks={"broken_json"}, needs_look=True)
def one_cell_overwritten(data: bytes) -> bytes:
    start = data.index(b'"area-answer"')
    return data[:start] + b"\0\xff garbage [[[ \n" + data[start + 150 :]


@on_bytes(remarks={"trailing_text"})
def text_behind_the_end(data: bytes) -> bytes:
    return data + b"]}\n-- sent from a phone\n"


@on_bytes()
def text_before_the_beginning(data: bytes) -> bytes:
    return b"Content-Type: application/json\n\n" + data


@on_bytes()
def commas_doubled_and_trailing(data: bytes) -> bytes:
    return data.replace(b"\n  }\n ]", b"\n  },\n ]").replace(
        b'"metadata": {},', b'"metadata": {},,'
    )


@on_bytes()
def commas_missing_between_cells(data: bytes) -> bytes:
    return data.replace(b"  },\n  {\n", b"  }\n  {\n")


@on_notebook()
def bare_list_of_cells(notebook: Notebook) -> Any:
    return notebook["cells"]


@on_bytes(texts={"area_answer": AREA.replace("area.", r"area \(in cm\).")}, remarks={"bad_json"})
def backslashes_that_escape_nothing(data: bytes) -> bytes:
    return data.replace(b"Return the area.", rb"Return the area \(in cm\).")


def _conflict(ours: bytes, theirs: bytes) -> bytes:
    return b"<<<<<<< HEAD\n%s=======\n%s>>>>>>> fe12b3\n" % (ours, theirs)


@on_bytes(remarks={"conflict"}, needs_look=True)
def merge_conflict_in_an_answer(data: bytes) -> bytes:
    line = b'    "    return height * width"\n'
    return data.replace(line, _conflict(line, line.replace(b"*", b"+")))


@on_bytes(remarks={"conflict"}, needs_look=True)
def merge_conflict_with_the_stub(data: bytes) -> bytes:
    ours = b'    "small_root = None\\n",\n    "large_root = None\\n",\n    "%s\\n",\n    "%s"\n' % (
        b"# YOUR CODE HERE",
        b"raise NotImplementedError()",
    )
    theirs = b'    "small_root = 2\\n",\n    "large_root = 3"\n'
    return data.replace(theirs, _conflict(ours, theirs))


@on_bytes(remarks={"harmless_conflict"})
def merge_conflict_in_execution_counts(data: bytes) -> bytes:
    line = b'   "execution_count": 3,\n'
    return data.replace(line, _conflict(line, line.replace(b"3", b"7")))


@on_bytes(remarks={"harmless_conflict"})
def merge_conflict_with_its_ancestor(data: bytes) -> bytes:
    line = b'   "execution_count": 3,\n'
    ours = line + b"||||||| 0a1b2c\n" + line.replace(b"3", b"null")
    return data.replace(line, _conflict(ours, line.replace(b"3", b"7")))


@on_bytes(remarks={"several_notebooks"}, needs_look=True, extra=("SCALE = 3",))
def two_notebooks_in_one_file(data: bytes) -> bytes:
    return data + data


@on_bytes(remarks={"several_notebooks"}, needs_look=True, extra=("SCALE = 3",))
def answers_in_the_second_of_two_notebooks(data: bytes) -> bytes:
    return as_bytes(released_notebook()) + data


# ---------------------------------------------------------------- odd JSON


@on_notebook()
def sources_as_strings(notebook: Notebook) -> None:
    for one in notebook["cells"]:
        one["source"] = "".join(one["source"])


@on_notebook()
def sources_without_line_ends(notebook: Notebook) -> None:
    for one in notebook["cells"]:
        one["source"] = "".join(one["source"]).split("\n")


@on_notebook(remarks={"odd_cells"})
def fields_that_are_null(notebook: Notebook) -> None:
    notebook["metadata"] = None
    for one in notebook["cells"]:
        if one["cell_type"] == "code":
            one["outputs"] = None
        if not one["id"].endswith("-answer"):
            one["source"] = one["metadata"] = None


@on_notebook(remarks={"odd_cells"})
def cells_that_are_none(notebook: Notebook) -> None:
    notebook["cells"] = [None, 3, "x", [], [[]], *notebook["cells"], {}, {"cell_type": "code"}]


@on_notebook(remarks={"odd_cells"})
def sources_of_odd_types(notebook: Notebook) -> None:
    cell(notebook, "title")["source"] = {"a": 1}
    cell(notebook, "setup")["source"] = 3
    cell(notebook, "area-answer")["source"] = [None, *cell(notebook, "area-answer")["source"], 3]


@on_bytes(remarks={"too_big", "found_by_cell_id"}, needs_look=True)
def nested_100_000_deep(data: bytes) -> bytes:
    deep = b"[" * 100_000 + b"]" * 100_000
    data = data.replace(b'"outputs": []', b'"outputs": %s' % deep, 1)
    return data.replace(b'"grade_id": "area_answer"', b'"deep": %s' % deep)


@on_bytes()
def huge_numbers_and_nan(data: bytes) -> bytes:
    data = data.replace(b'"points": 2', b'"points": %s, "x": NaN' % (b"9" * 10_000))
    data = data.replace(b'"nbformat_minor": 5', b'"nbformat_minor": -Infinity')
    return data.replace(b'"execution_count": 3', b'"execution_count": 1e999999')


@on_bytes()
def keys_that_come_twice(data: bytes) -> bytes:
    return data.replace(b'"cell_type":', b'"source": "raise SystemExit", "cell_type":')


@on_bytes(texts={"why": WHY.replace("–", "\ufffd")}, remarks={"surrogates"})
def half_a_character_in_an_answer(data: bytes) -> bytes:
    return data.replace("–".encode(), rb"\ud83d")


@on_bytes(remarks={"control_characters"})
def zeros_in_the_answers(data: bytes) -> bytes:
    return data.replace(b"return ", rb"\u0000return\u0007 ").replace(b"Because", b"Beca\x00use")


@on_bytes(remarks={"odd_blanks"})
def non_breaking_blanks(data: bytes) -> bytes:
    blank = "\u00a0".encode()
    return data.replace(b"    return", blank * 4 + b"return").replace(
        b"x * SCALE", b"x *%sSCALE" % blank
    )


@on_bytes(texts={"area_answer": AREA.replace("the area", "the\u00a0area")})
def non_breaking_blank_in_a_string(data: bytes) -> bytes:
    return data.replace(b"the area.", "the\u00a0area.".encode())


@on_bytes(remarks={"odd_blanks"})
def marks_of_no_width(data: bytes) -> bytes:
    return data.replace(b"return height", b"return \xe2\x80\x8bheight")


@on_bytes(
    texts={"area_answer": AREA.replace('"', "”")},
    worthless={"area_answer"},
    remarks={"smart_quotes"},
    needs_look=True,
)
def typographic_quotes(data: bytes) -> bytes:
    return data.replace(rb"\"\"\"Return the area.\"\"\"", "”””Return the area.”””".encode())


@on_bytes(texts={"scaled_answer": "\f" + SCALED.replace("    ", "\t")})
def tabs_and_form_feeds(data: bytes) -> bytes:
    data = data.replace(b"    grown", rb"\tgrown").replace(b"    return grown", rb"\treturn grown")
    return data.replace(b"def scaled", rb"\fdef scaled")


@on_bytes(
    texts={"scaled_answer": SCALED.replace("    return", "\treturn")},
    worthless={"scaled_answer"},
    remarks={"mixed_indentation"},
    needs_look=True,
)
def tabs_mixed_with_blanks(data: bytes) -> bytes:
    return data.replace(b"    return grown", rb"\treturn grown")


@on_notebook()
def two_megabytes_of_outputs(notebook: Notebook) -> None:
    stream = {"name": "stdout", "output_type": "stream", "text": ["x" * 79 + "\n"] * 25_000}
    cell(notebook, "area-answer")["outputs"] = [stream]


@on_notebook(
    texts={"area_answer": ""}, worthless={"area_answer"}, remarks={"too_big"}, needs_look=True
)
def answer_of_three_megabytes(notebook: Notebook) -> None:
    cell(notebook, "area-answer")["source"] = ["x = 1\n"] * 500_000


@on_notebook(remarks={"too_big"}, needs_look=True, extra=("1 + 1",))
def thousands_of_cells(notebook: Notebook) -> None:
    notebook["cells"] += [code("1 + 1", f"own-{number}") for number in range(6_000)]
