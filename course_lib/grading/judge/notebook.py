"""Grade one notebook: the instructor's cells here, the student's on the far side."""

from __future__ import annotations

import builtins
import contextlib
import re
import signal
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from course_lib.grading.errors import JudgeError
from course_lib.grading.judge.assembly import assemble, safe_outputs
from course_lib.grading.judge.far_side import FarSide, Misconfigured, Stopped
from course_lib.grading.judge.few_words import Lines
from course_lib.grading.judge.private_paths import (
    private_paths,
    score_without_paths,
    without_paths,
)
from course_lib.grading.judge.proxies import Space, StudentError, output_size
from course_lib.grading.judge.scoring import Attempt, score_cell
from course_lib.grading.judge.shown import Shown, ShownTest
from course_lib.grading.judge.telling import (
    error_output,
    far_output,
    hidden_error,
    own_error,
    places,
)
from course_lib.grading.names import (
    bound_by_import,
    bound_names,
    import_lines,
    names_read_by_functions,
    used_names,
)
from course_lib.grading.plan import Step, sources, steps
from course_lib.grading.result import CellScore, Remark, Result
from course_lib.grading.shell import Shell, cell_lines
from course_lib.grading.submission import Submission
from course_lib.grading.template import (
    IN_PLACE_TAG,
    LIVE_TAG,
    SETUP,
    TEST,
    Template,
    TemplateCell,
)

ENDLESS = "The test did not come to an end with what your code returned."
TEST_FACTOR = 2  # the time of a test cell, in multiples of what the student's code may take
CELLS_OF_OUTPUT = 16  # as much as so many cells may show is what a whole notebook may show
JUDGE_OUTPUT = 8 * 2**20  # bytes that one of the instructor's cells may show
WORD = re.compile(r"[^\W\d]\w*")
NewFarSide = Callable[[], FarSide]


class Grading:
    """One submission on its way to a Result.

    new_far_side: makes an untouched far side; modes: by grade id, a tag that a test is to be
    treated as having; on_score: told of every score as soon as it is there; shown: what the first
    run brought, None in that run itself, which leaves the hidden tests out (see `judge.shown`);
    on_test: told of every test as it begins; stuck: tests that could not be stopped from inside
    when they were tried before, and are not begun again; kept: scores of that try, beyond which
    none may rise.
    """

    def __init__(
        self,
        template: Template,
        submission: Submission,
        new_far_side: NewFarSide,
        shell: Shell,
        modes: Mapping[str, str] | None = None,
        on_score: Callable[[CellScore], None] = lambda _: None,
        shown: Shown | None = None,
        on_test: Callable[[str], None] = lambda _: None,
        stuck: Collection[str] = (),
        kept: Collection[CellScore] = (),
    ) -> None:
        self.template = template
        self.submission = submission
        self.shell = shell
        self.modes = dict(modes or {})
        self.on_score, self.on_test = on_score, on_test
        self.stuck, self.kept = frozenset(stuck), {score.grade_id: score for score in kept}
        self.shown = shown
        self.plan = list(steps(template, submission))
        self.lines: Lines = sources(self.plan)
        own = [step for step in self.plan if step.runs_far and step.kind != SETUP]
        self.own: Lines = sources(own)
        self.own_words = frozenset(word for step in own for word in WORD.findall(step.source))
        self.far = new_far_side()
        self.private = private_paths(self.far.folder, self.far.folder.parents[1])
        # Of the second run nothing free is shown: other notebooks' hidden inputs may be about, too.
        self.far.tainted = shown is not None
        watched = watched_names(template)
        guessed = watched - solved_names(template)
        inputs = set_for_functions(template)
        self.space = Space(self.far, shell.user_ns, watched, self.lines, self.own, guessed, inputs)
        self.outputs: dict[str, list[dict[str, Any]]] = {}
        self.public: dict[str, list[dict[str, Any] | None]] = {}
        self.scores: dict[str, CellScore] = {}
        self.stopped: dict[str, Stopped] = {}  # by the label of the cell to blame
        self.cell_errors: dict[str, str] = {}
        self.output_left = CELLS_OF_OUTPUT * self.far.limits.output

    def run(self, remarks: tuple[Remark, ...] = ()) -> Result:
        """Run all cells, and return what came of it."""
        started = time.monotonic()
        try:
            for step in self.plan:
                self._step(step)
        finally:
            self.far.close()
        wall_seconds = round(time.monotonic() - started, 4)
        cpu_seconds = round(self.far.cpu_before, 4)
        if self.shown is None and self.template.has_hidden:
            shown = self._brought(cpu_seconds, wall_seconds)
            return Result(
                {}, (), wall=self.far.wall, wall_seconds=wall_seconds, shown=shown.to_text()
            )
        if self.shown is not None:
            self._take_over(self.shown)
            cpu_seconds = round(cpu_seconds + self.shown.cpu_seconds, 4)
            wall_seconds = round(wall_seconds + self.shown.wall_seconds, 4)
        found = (*remarks, *self.submission.remarks, *self._own_remarks())
        result = Result(
            notebook=assemble(
                self.plan,
                self.template,
                without_paths(self.outputs, self.private),
                without_paths(self.public, self.private),
                self.scores,
            ),
            cells=tuple(self.scores.values()),
            remarks=tuple(dict.fromkeys(found)),
            wall=self.far.wall,
            cpu_seconds=cpu_seconds,
            wall_seconds=wall_seconds,
        )
        about = {key: getattr(result, key) for key in ("wall", "cpu_seconds", "wall_seconds")}
        about["remarks"] = [asdict(remark) for remark in result.remarks]
        result.notebook["metadata"] = {**result.notebook["metadata"], "judge": about}
        return result

    # ---------------------------------------------------------------- cells

    def _step(self, step: Step) -> None:
        if step.runs_far:
            self._run_far(step)
        if step.cell is None:
            return
        if step.kind == SETUP and step.cell_type == "code" and self._needed_here(step.cell):
            self._run_here(step.cell, step.source, step.label)
        elif step.kind == TEST:
            if self._is_to_run(step, step.cell):
                self._test(step, step.cell)
        elif step.cell.graded:
            self._score(step.cell, Attempt())
        if step.cell_type == "code" and step.cell.answered:
            self._import_here(step.cell)

    def _run_far(self, step: Step) -> None:
        """Run one of the student's cells, or a setup cell, on the far side."""
        tainted = self.far.tainted
        known = self.shown or Shown()
        self.far.new_exercise()
        try:
            if step.kind != SETUP:
                self.space.written += (step.source,)
            if step.label in known.stopped:  # it would only take its time once more
                raise Stopped(*known.stopped[step.label])
            reply = self.far.run(step.label, step.source, pictures=not tainted)
        except Stopped as stop:
            self.stopped[step.label] = stop
            text = f"This cell was stopped. {stop}"
            self.outputs[step.label] = [error_output("Stopped", text, [])]
        else:
            self.outputs[step.label] = self._far_outputs(reply)
            if isinstance(reply.get("error"), dict):
                error = reply["error"]
                said = hidden_error(error, self.own) if tainted else own_error(error, self.lines)
                self.cell_errors[step.label] = known.errors.get(step.label, said)
        outputs = self.outputs[step.label]
        self.public[step.label] = [None for _ in outputs] if tainted else list(outputs)

    def _far_outputs(self, reply: Mapping[str, Any]) -> list[dict[str, Any]]:
        found = self._safe(reply.get("outputs"))
        if isinstance(reply.get("error"), dict):
            found.append(far_output(reply["error"], self.lines))
        return found

    def _safe(self, told: Any) -> list[dict[str, Any]]:
        """Return what the student's code showed, as long as the notebook has room for it."""
        found = safe_outputs(told, min(self.far.limits.output, self.output_left))
        self.output_left = max(0, self.output_left - sum(map(output_size, found)))
        return found

    # ---------------------------------------------------------------- the two runs

    def _is_to_run(self, step: Step, cell: TemplateCell) -> bool:
        """Say whether a test runs: no hidden one in the first run, and none that was stopped there.

        That would only take its time once more: its score stands.
        """
        if cell.grade_id in self.stuck:
            attempt = Attempt(stopped=Stopped("wall time", ENDLESS))
            attempt.hidden, attempt.hidden_lines = self.shown is not None, cell.hidden_lines
            self._blame(cell, attempt)
            self._score(cell, attempt, step.label)
            return False
        if self.shown is None:
            return not (cell.hidden_lines and self.template.has_hidden)
        known = self.shown.tests.get(cell.grade_id)
        if known is None or not known.score.limit:
            return True
        self.scores[cell.grade_id] = known.score
        self.outputs[step.label] = list(known.outputs)
        self.public[step.label] = list(known.public)
        self.on_score(known.score)
        return False

    def _brought(self, cpu_seconds: float, wall_seconds: float) -> Shown:
        """Return what the first run brought."""
        far = [step.label for step in self.plan if step.runs_far]
        tests = {
            step.cell.grade_id: ShownTest(
                self.scores[step.cell.grade_id], self.outputs[step.label], self.public[step.label]
            )
            for step in self.plan
            if step.cell is not None and step.kind == TEST and step.cell.grade_id in self.scores
        }
        return Shown(
            {label: self.outputs[label] for label in far},
            dict(self.cell_errors),
            {label: (stop.limit, str(stop)) for label, stop in self.stopped.items()},
            tests,
            cpu_seconds,
            wall_seconds,
        )

    def _take_over(self, shown: Shown) -> None:
        """Show what the first run brought, where the second one came to the same."""
        for label, outputs in shown.outputs.items():
            self.outputs[label], self.public[label] = list(outputs), list(outputs)
        for step in self.plan:
            name = step.cell.grade_id if step.cell is not None and step.kind == TEST else ""
            test = shown.tests.get(name)
            if test is not None and test.agrees(self.scores[name]):
                self.scores[name] = replace(
                    self.scores[name], reason=test.score.reason, mistakes=test.score.mistakes
                )
                self.outputs[step.label] = list(test.outputs)
                self.public[step.label] = list(test.public)

    def _needed_here(self, cell: TemplateCell) -> bool:
        """Say whether the instructor's later cells need what a setup cell does."""
        if not self.space.watched.intersection(used_names(cell.source)):
            return True
        later = [c for c in self.template.cells[cell.index + 1 :] if c.kind in (SETUP, TEST)]
        used = frozenset[str]().union(*(used_names(c.source) for c in later))
        return bool(used.intersection(cell.names))

    def _import_here(self, cell: TemplateCell) -> None:
        """Import what the instructor's own solution imports: tests may use these names."""
        imports = import_lines(cell.source)
        if imports:
            self.shell.run(f"imports {cell.grade_id}", imports, JUDGE_OUTPUT)

    def _run_here(self, cell: TemplateCell, source: str, label: str) -> Attempt:
        """Run one of the instructor's cells, with the student's names as they are now."""
        self.space.begin_cell()
        attempt = Attempt()
        try:
            self.space.fetch(used_names(source))
        except Stopped as stop:
            attempt.stopped = stop
            return attempt
        self.far.last_stop = None
        with _alarm(TEST_FACTOR * self.far.limits.wall_seconds):
            error = self.shell.run(label, source, JUDGE_OUTPUT)
        attempt.outputs = self.shell.outputs.taken()
        attempt.stopped = self.far.last_stop  # even if the test caught it with a bare except
        if isinstance(error, Misconfigured):
            raise JudgeError(str(error))
        if isinstance(error, Stopped):
            attempt.stopped = error
        attempt.error = error or self.space.refusal  # even if the test caught that
        if error is not None and error is self.space.raised:
            attempt.far_error = self.space.last_error
        attempt.said = self._safe(self.space.said)
        return attempt

    # ---------------------------------------------------------------- tests

    def _test(self, step: Step, cell: TemplateCell) -> None:
        tags = (*cell.tags, self.modes.get(cell.grade_id, ""))
        hidden = cell.hidden_lines
        self.far.on_rerun = lambda: self.on_test(cell.grade_id)  # its time begins anew
        self.on_test(cell.grade_id)
        cpu, clock = self.far.cpu(), time.monotonic()
        self.far.new_exercise()
        self._import_far(cell)
        in_place = IN_PLACE_TAG in tags or cell.grade_id in self.template.looking_back
        self.space.hidden, self.space.in_place = bool(hidden), in_place
        if LIVE_TAG in tags:
            attempt = self._run_live(cell, step.label, bool(hidden))
        else:
            attempt = self._run_here(cell, cell.source, step.label)
        self.space.hidden = self.space.in_place = False
        # What a hidden test made a name stand for goes over with the next call, whichever cell's.
        self.far.tainted |= bool(hidden) and self.space.changed
        attempt.hidden = bool(hidden) or self.far.tainted
        attempt.hidden_lines = hidden
        attempt.cpu_seconds = round(self.far.cpu() - cpu, 4)
        attempt.wall_seconds = round(time.monotonic() - clock, 4)
        self._blame(cell, attempt)
        self._score(cell, attempt, step.label)

    def _import_far(self, cell: TemplateCell) -> None:
        """Import there, too, what the public part of a test imports, if an answer uses it.

        Students see their code work in a notebook where the tests beside it have run.
        """
        lines = import_lines(cell.public)
        if self.own_words.intersection(bound_names(lines)):
            with contextlib.suppress(Stopped):
                self.far.run(f"imports {cell.grade_id}", lines)

    def _run_live(self, cell: TemplateCell, label: str, hidden: bool) -> Attempt:
        """Run a test on the student's side: its result is the student's word."""
        attempt = Attempt(live=True)
        if hidden:
            self.far.tainted = True
        try:
            reply = self.far.run(label, cell.source)
        except Stopped as stop:
            attempt.stopped = stop
            return attempt
        attempt.outputs = self._safe(reply.get("outputs"))
        if isinstance(reply.get("error"), dict):
            attempt.far_error = reply["error"]
            attempt.error = StudentError(str(reply["error"].get("text", ""))[:500])
        return attempt

    def _blame(self, cell: TemplateCell, attempt: Attempt) -> None:
        """Note what the cells of the answer itself ran into."""
        used = used_names(cell.source)
        answers = [
            step
            for step in self.plan
            if step.cell is not None and step.cell.answered and used.intersection(step.cell.names)
        ]
        attempt.unanswered = bool(answers) and all(
            not self._changed(step.cell.grade_id) for step in answers if step.cell
        )
        for step in answers:
            if step.label in self.stopped and attempt.stopped is None:
                attempt.stopped = self.stopped[step.label]
            attempt.answer_error = attempt.answer_error or self.cell_errors.get(step.label, "")
        missing = [s.cell.grade_id for s in answers if s.cell and self._missing(s.cell.grade_id)]
        attempt.missing = missing[0] if missing and len(missing) == len(answers) else ""

    def _changed(self, grade_id: str) -> bool:
        answer = self.submission.answers.get(grade_id)
        return answer is not None and answer.given

    def _missing(self, grade_id: str) -> bool:
        return grade_id not in self.submission.answers

    def _score(self, cell: TemplateCell, attempt: Attempt, label: str = "") -> None:
        if cell.kind != TEST:
            attempt.unanswered = cell.answered and not self._changed(cell.grade_id)
            gone = cell.answered and self._missing(cell.grade_id)
            attempt.missing = cell.grade_id if gone else ""
        error, attempt.error_places = attempt.error, []
        if error is not None and attempt.far_error is None:
            attempt.error_places = cell_lines(error, lambda name: name.startswith("<test "))
        elif attempt.far_error is not None:
            attempt.error_places = places(attempt.far_error, self.lines)
        score, outputs, public = score_cell(cell, attempt, self.lines, self.own)
        score = score_without_paths(score, self.private)
        before = self.kept.get(cell.grade_id)
        if before is not None and (before.score or 0.0) < (score.score or 0.0):
            score = before  # no second roll
        self.scores[cell.grade_id] = score
        if label:
            self.outputs[label], self.public[label] = outputs, public
        self.on_score(score)

    def _own_remarks(self) -> tuple[Remark, ...]:
        found = []
        if self.shown is not None and self.shown.broken_off:
            text = (
                "What the code printed and the texts of its errors are not shown: it took much "
                "longer than the others of the class. Points do not depend on that."
            )
            found.append(Remark("not_shown", text))
        for name, score in self.scores.items():
            if score.live:
                text = f"The test {name} ran on the student's side: its result is their word."
                found.append(Remark("live_test", text))
        return tuple(found)


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Stop one of the instructor's cells that hangs on what an answer returned."""

    def ring(*_: object) -> None:
        raise Stopped("wall time", ENDLESS)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def read_ahead(template: Template) -> None:
    """Read the code of all cells once, so that processes forked later need not."""
    watched_names(template)
    for cell in template.cells:
        if cell.cell_type == "code":
            used_names(cell.source)
            for source in (cell.source, cell.public):
                bound_names(import_lines(source))
    set_for_functions(template)
    _ = template.looking_back


def watched_names(template: Template) -> frozenset[str]:
    """Return the names that answers may bind and instructor's cells may use.

    These are what the instructor's own solutions bind, and what instructor's cells use without
    anything of the instructor's or of Python's defining it.
    """
    mine: set[str] = set()
    used: set[str] = set()
    for cell in template.cells:
        if cell.cell_type != "code":
            continue
        if cell.answered:
            mine |= set(bound_by_import(cell.source))
        else:
            mine |= set(cell.names)
            used |= used_names(cell.source)
    known = mine | set(dir(builtins)) | {"get_ipython", "display"}
    return solved_names(template) | (used - known)


def solved_names(template: Template) -> frozenset[str]:
    """Return the names that the instructor's own solutions bind, imported modules left out."""
    cells = [c for c in template.cells if c.cell_type == "code" and c.answered]
    return frozenset(
        name for cell in cells for name in set(cell.names) - set(bound_by_import(cell.source))
    )


def set_for_functions(template: Template) -> frozenset[str]:
    """Return the names that a test may set for an answer's functions to read.

    These are what functions of the instructor's own solutions and setup cells read from outside.
    """
    cells = [c for c in template.cells if c.cell_type == "code" and c.kind != TEST]
    return frozenset[str]().union(*(names_read_by_functions(cell.source) for cell in cells))
