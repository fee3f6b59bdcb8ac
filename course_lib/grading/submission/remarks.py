"""The sentences for what can be odd about a submission, each under its kind."""

from __future__ import annotations

from collections.abc import Iterable

from course_lib.grading.result import Remark

# kind: (sentence, whether a person must look). {} stands for the names concerned.
SENTENCES: dict[str, tuple[str, bool]] = {
    # The file
    "empty_file": ("The file is empty.", True),
    "no_notebook": ("The file is not a notebook but {}.", True),
    "nothing_recognised": (
        "Nothing of this assignment was recognised: perhaps it is the notebook of another one.",
        True,
    ),
    "zipped": ("The notebook was handed in inside a zip archive.", False),
    "web_page": (
        "A web page made from the notebook was handed in; its cells were read from that.",
        True,
    ),
    "script": ("A Python script was handed in place of the notebook ({}).", False),
    "broken_json": (
        "The file is damaged or cut short. The cells that are whole were read; others may be lost.",
        True,
    ),
    "bad_json": ("Some JSON of the file is malformed and was read as well as could be.", False),
    "trailing_text": ("There is text after the end of the notebook; it was left out.", False),
    "several_notebooks": ("The file holds several notebooks; they were read as one.", True),
    "conflict": (
        (
            "The file holds both sides of a merge of git, and they differ. The side with more "
            "answers was read, the first if they are equal."
        ),
        True,
    ),
    "harmless_conflict": (
        "The file holds both sides of a merge of git; the answers are the same on both.",
        False,
    ),
    "too_big": (
        "Parts of the file are too long, too many or too deeply nested and were left out.",
        True,
    ),
    "encoding": ("The file is not in UTF-8; it was read as what it seems to be.", False),
    "byte_order_mark": ("The file begins with a byte order mark.", False),
    "old_format": ("The notebook is in format {}, from before 2015.", False),
    "unknown_format": ("The notebook's format ({}) is unknown; it was read as format 4.", False),
    "other_kernel": ("The notebook was made with another kernel: {}.", False),
    "wrong_language": ("The notebook's language is {}, not that of the assignment.", True),
    "other_tool": ("The notebook was written by {}.", False),
    "odd_cells": ("Some cells are not as the notebook format wants them: {}.", False),
    "odd_cell_ids": ("Cell ids of the notebook format are missing in part, odd or twice.", False),
    # What stands in the cells
    "control_characters": ("Control characters were taken out of the cells.", False),
    "surrogates": ("Characters that are no characters were replaced in the cells.", False),
    "odd_blanks": (
        "Non-breaking or other odd blanks, which Python refuses, were made plain blanks.",
        False,
    ),
    "smart_quotes": (
        "Code holds typographic quotes, which Python refuses; they were left as they are.",
        True,
    ),
    "mixed_indentation": ("Code mixes tabs and blanks in a way that Python refuses: {}.", True),
    # The cells
    "duplicated_cell": ("There are several cells for {}; only one was answered.", False),
    "several_answers": ("There are several different answers to {}; the last was taken.", True),
    "split_answer": ("The answer to {} was split over several cells and was joined.", False),
    "answer_in_several_cells": ("The answer to {} goes on in a cell of the student's own.", False),
    "missing_answer": ("There is no cell for {}.", True),
    "found_by_name": ("{}: found by the names that it binds, as its metadata are gone.", False),
    "found_by_position": ("{}: found by its place in the notebook alone.", True),
    "found_by_cell_id": ("{}: found by its cell id, as its other metadata are gone.", False),
    "retyped_answer": ("{}: answered in another cell than the one handed out.", False),
    "answer_in_wrong_cell": ("{}: its answer stood in the cell of another exercise.", True),
    "answer_in_question": ("{}: answered in the cell of the question.", True),
    "answer_in_test": ("{}: answered in a test cell; the lines of the test were left out.", True),
    "changed_cell_type": ("{}: the type of the cell was changed; its text was taken.", False),
    "unreadable_code": (
        "{}: the type of the cell was changed, and its text is not Python.",
        True,
    ),
    "moved_cell": ("Cells were moved: {}. They were put back.", False),
    "missing_test": ("Test cells were deleted: {}. They were put back.", False),
    "edited_test": ("Cells that must not change were changed: {}. They were put back.", False),
    "copied_test": ("Copies of test cells were left out: {}.", False),
    "edited_setup": ("Cells of the notebook's own code were edited; both versions run.", False),
    "edited_text": ("Text of the notebook itself was edited; both versions are shown.", False),
    "unknown_grade_id": ("Cells bear grade ids that this notebook does not know: {}.", False),
    "no_metadata": ("The notebook has lost nbgrader's metadata.", False),
    "edited_metadata": ("nbgrader's metadata were changed and ignored: {}.", False),
    "tags": ("Tags on answer or test cells were ignored: {}.", False),
}


class Remarks:
    """Collects the remarks on one submission: one for each kind, with the names concerned."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}

    def add(self, kind: str, *names: str) -> None:
        """Remark something of this kind about these."""
        self._names.setdefault(kind, {}).update(dict.fromkeys(names))

    def update(self, kinds: Iterable[str]) -> None:
        """Remark each of these kinds, if there is a sentence for it."""
        for kind in sorted(kinds):
            if kind in SENTENCES:
                self.add(kind)

    def as_tuple(self) -> tuple[Remark, ...]:
        """Return them in the order in which the kinds came up."""
        return tuple(remark(kind, *names) for kind, names in self._names.items())


def remark(kind: str, *names: str) -> Remark:
    """Return the remark of this kind about these."""
    sentence, needs_look = SENTENCES[kind]
    shown = ", ".join(plain(name) for name in names[:6]) + (" …" if len(names) > 6 else "")
    return Remark(kind, sentence.replace("{}", shown), needs_look)


def plain(name: str, longest: int = 80) -> str:
    """Return a name from outside as one line of plain characters."""
    name = name if len(name) <= longest else name[: longest - 1] + "…"
    return "".join(
        character if character.isprintable() else f"\\x{ord(character):02x}" for character in name
    )
