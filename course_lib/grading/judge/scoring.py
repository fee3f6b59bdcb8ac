"""Points for one cell, as nbgrader counts them, with the reason and what a student may see.

An error is no points; a result that is a number is that many; anything else is full marks, but not
where the test's last line counts points. Text on stderr costs nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from course_lib.grading.judge.far_side import Stopped
from course_lib.grading.judge.few_words import STOPS, Lines, Place, own_message
from course_lib.grading.judge.proxies import CannotCross
from course_lib.grading.judge.telling import error_output, hidden_error, own_error, trace
from course_lib.grading.names import parse
from course_lib.grading.printable import printable
from course_lib.grading.result import (
    FAILED,
    LIMIT,
    MANUAL,
    MISSING,
    PARTIAL,
    PASSED,
    UNANSWERED,
    CellScore,
    Mistake,
)
from course_lib.grading.template import TEST, TemplateCell

HIDDEN_TEST = "A hidden test did not pass."
OTHERWISE = (
    "This test came out otherwise once hidden tests had run: does your code keep something "
    "from one call to the next?"
)
NOT_ANSWERED = "Not answered yet."


@dataclass
class Attempt:
    """What running a test cell brought.

    outputs: of the instructor's cell; said: what the student's code showed during calls; error:
    what the cell raised; far_error: the same as the student's code told it, if it comes from there;
    hidden: whether what the student's code said may hold hidden inputs; hidden_lines: of the cell;
    answer_error: what the cell of the answer itself raised, as a sentence.
    """

    outputs: list[dict[str, Any]] = field(default_factory=list)
    said: list[dict[str, Any]] = field(default_factory=list)
    error: BaseException | None = None
    far_error: Mapping[str, Any] | None = None
    stopped: Stopped | None = None
    error_places: Sequence[Place] = ()
    hidden: bool = False
    hidden_lines: frozenset[int] = frozenset()
    answer_error: str = ""
    unanswered: bool = False
    missing: str = ""
    live: bool = False
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0


Outputs = list[dict[str, Any]]
Public = list[dict[str, Any] | None]


def score_cell(
    cell: TemplateCell, attempt: Attempt, lines: Lines, own: Lines
) -> tuple[CellScore, Outputs, Public]:
    """Return the score of a cell, its outputs, and the outputs that a student may see.

    lines: the cells of the student's side; own: those of them that the student wrote.
    """
    if cell.kind != TEST:
        return _by_hand(cell, attempt), [], []
    outputs, public = _shown(cell, attempt)
    reason, limit, score, status = "", "", cell.points, PASSED
    mistakes: tuple[Mistake, ...] = ()
    failed = attempt.stopped is not None or attempt.error is not None
    if failed:
        score, status = 0.0, FAILED
        reason, limit, mistakes = _why(cell, attempt, lines, own)
        reason = printable(reason)
        if limit:
            status = LIMIT
        full, shown = _error_outputs(cell, attempt, lines, reason)
        outputs.append(full)
        public.append(shown)
    else:
        score, mistakes = _points(cell, attempt.outputs)
        status = PASSED if score >= cell.points else PARTIAL if score > 0 else FAILED
        if mistakes and attempt.hidden and not cell.hidden_lines:
            # A visible test names mistakes freely: these may be made of hidden inputs.
            mistakes, reason = (), OTHERWISE
        else:
            reason = "; ".join(mistake.title for mistake in mistakes)
    if status != PASSED and not limit and (attempt.unanswered or attempt.missing):
        status = MISSING if attempt.missing else UNANSWERED
        reason, mistakes = NOT_ANSWERED, ()  # nobody made a mistake by not answering
        if attempt.missing:
            reason = f"The answer cell {attempt.missing} is missing from the notebook."
    found = CellScore(
        cell.grade_id, cell.cell_type, score, cell.points, status, printable(reason),
        tuple(Mistake(*map(printable, (m.id, m.title, m.message))) for m in mistakes), limit,
        attempt.live, attempt.cpu_seconds, attempt.wall_seconds,
    )  # fmt: skip
    return found, outputs, public


def _by_hand(cell: TemplateCell, attempt: Attempt) -> CellScore:
    if attempt.missing or attempt.unanswered:
        status = MISSING if attempt.missing else UNANSWERED
        return CellScore(cell.grade_id, cell.cell_type, 0.0, cell.points, status, NOT_ANSWERED)
    return CellScore(cell.grade_id, cell.cell_type, None, cell.points, MANUAL)


def _points(cell: TemplateCell, outputs: Outputs) -> tuple[float, tuple[Mistake, ...]]:
    """Return the points that a result stands for, and the mistakes that it names."""
    for output in outputs:
        if output["output_type"] != "execute_result":
            continue
        told = output.get("metadata", {}).get("judge", {})
        mistakes = tuple(
            Mistake(str(m["id"]), str(m["title"]), str(m.get("message", "")))
            for m in told.get("mistakes", ())
        )
        score = _number(str(output["data"].get("text/plain", "")))
        if score is None:
            # An array where the test counts points is no number: the answer brought it about.
            counted = counts_points(cell.source)
            return (0.0 if counted else cell.points), mistakes
        # nbgrader gives all points for these: but an answer can bring them about.
        return (min(score, cell.points) if isfinite(score) and score > 0 else 0.0), mistakes
    return cell.points, ()


# How NumPy and the standard library write one number.
WRITTEN = re.compile(
    r"""(?:np\.(?:float|u?int)\d+|Decimal|array)\((?:['"]?|\[+)([^()'"\[\]]{1,400})(?:['"]?|\]+)\)"""
)
FRACTION = re.compile(r"Fraction\((-?\d{1,300}), (\d{1,300})\)")


def _number(text: str) -> float | None:
    """Return the number that a result is, or None if it is something else."""
    try:
        if fraction := FRACTION.fullmatch(text):
            return int(fraction[1]) / int(fraction[2])
        written = WRITTEN.fullmatch(text)
        return float(written[1].split(", dtype=")[0] if written else text)
    except (ValueError, ArithmeticError):
        return None


COUNTING = frozenset(("sum", "len", "round", "min", "max", "float", "int", "abs"))


def counts_points(source: str) -> bool:
    """Say whether a test's last line is plainly a number: counted, or worked out."""
    try:
        tree = parse(source)
    except SyntaxError:
        return False
    last = tree.body[-1] if tree.body else None
    return isinstance(last, ast.Expr) and _is_count(last.value, tree)


def _is_count(value: ast.expr, tree: ast.Module) -> bool:
    if isinstance(value, ast.BinOp | ast.UnaryOp):
        return True
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in COUNTING
    if not isinstance(value, ast.Name):
        return isinstance(value, ast.Constant) and type(value.value) in (int, float)
    nodes = list(ast.walk(tree))
    added = any(isinstance(n, ast.AugAssign) and _is_name(n.target, value.id) for n in nodes)
    return added or any(
        isinstance(n, ast.Assign) and any(_is_name(t, value.id) for t in n.targets)
        and not isinstance(n.value, ast.Name) and _is_count(n.value, tree)
        for n in nodes
    )  # fmt: skip


def _is_name(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


# ---------------------------------------------------------------- why there are no points


def _why(
    cell: TemplateCell, attempt: Attempt, lines: Lines, own: Lines
) -> tuple[str, str, tuple[Mistake, ...]]:
    limit = _limit(attempt)
    if limit and attempt.hidden:
        return STOPS[limit], limit, ()
    if attempt.stopped is not None:
        return str(attempt.stopped), limit, ()
    error = attempt.error
    assert error is not None
    if attempt.far_error is not None:
        told = attempt.far_error
        return hidden_error(told, own) if attempt.hidden else own_error(told, lines), limit, ()
    if isinstance(error, NameError) and attempt.answer_error:
        return attempt.answer_error, "", ()
    if isinstance(error, CannotCross):
        return f"{error}.", limit, ()
    number = _test_line(attempt)
    name = type(error).__name__
    own_numbers = {line for label, line in attempt.error_places if label.startswith("test ")}
    if own_numbers & attempt.hidden_lines or (attempt.hidden_lines and not number):
        return HIDDEN_TEST, "", ()
    text = str(error)[:500]
    if attempt.hidden:
        asserted = isinstance(error, AssertionError)
        text = own_message(cell, attempt.error_places, text) if asserted else ""
    if isinstance(error, AssertionError) and text:
        title = text.split("\n")[0][:200]
        return text, "", (Mistake(f"assert:{title}", title, text),)
    quoted = _line(cell, number)
    said = f"{name}: {text}" if text else name
    return f"This test did not pass: {quoted}" + (f" ({said})" if text else ""), "", ()


def _limit(attempt: Attempt) -> str:
    """Return which limit an attempt hit, "" if none."""
    if attempt.stopped is not None:
        return attempt.stopped.limit
    if attempt.far_error is not None:
        kinds = str(attempt.far_error.get("kinds", ""))
        return "memory" if "builtins.MemoryError" in kinds else ""
    return (
        "result size" if isinstance(attempt.error, CannotCross) and attempt.error.too_large else ""
    )


def _test_line(attempt: Attempt) -> int:
    own = [number for label, number in attempt.error_places if label.startswith("test ")]
    return own[0] if own else 0


def _line(cell: TemplateCell, number: int) -> str:
    lines = cell.source.split("\n")
    return lines[number - 1].strip()[:200] if 0 < number <= len(lines) else cell.grade_id


# ---------------------------------------------------------------- what is shown


def _shown(cell: TemplateCell, attempt: Attempt) -> tuple[Outputs, Public]:
    """Return the outputs of the test and of the calls that it made; hidden ones are not public."""
    outputs: Outputs = []
    public: Public = []
    for output in (*attempt.said, *attempt.outputs):
        kept = dict(output)
        if kept["output_type"] == "stream":
            kept["name"] = "stdout"  # nbgrader takes the points for anything on stderr
        if kept["output_type"] == "execute_result":
            kept.setdefault("execution_count", None)
        outputs.append(kept)
        # Made to be shown, by a test that knows that its inputs are hidden.
        report = bool(cell.hidden_lines) and "judge" in kept.get("metadata", {})
        public.append(kept if report or not attempt.hidden else None)
    return outputs, public


def _error_outputs(
    cell: TemplateCell, attempt: Attempt, lines: Lines, reason: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    name = "Stopped" if attempt.stopped else type(attempt.error).__name__
    text = str(attempt.stopped or attempt.error or "")[:2000]
    tests = {f"test {cell.grade_id}": cell.source.split("\n")}
    found = [p for p in attempt.error_places if p[0] in tests or p[0] in lines]
    full = error_output(name, text, trace(found, {**lines, **tests}))
    return full, error_output("Failed" if attempt.hidden else name, reason, [])
