"""Check one function on one exercise: call it on every case, give points, name the mistakes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from course_lib.checks.calls import Submission
from course_lib.checks.compare import Difference, Raised, first_difference
from course_lib.checks.conduct import changed_arguments, find_loops, writable, writes_to_read_only
from course_lib.checks.diagnose import Answers, Explanation, answers, explain
from course_lib.checks.evidence import (
    is_constant,
    is_empty_handed,
    is_one_number,
    is_proven,
    is_undefined,
)
from course_lib.checks.exercise import Case, Exercise, Part, Switch, combine, run_case
from course_lib.checks.few_words import (
    MOST_MISTAKES,
    error_in_few_words,
    type_in_few_words,
)
from course_lib.checks.form import FormProblem, as_expected_form
from course_lib.checks.observe import GLOBAL_GENERATOR, Outcome, StudentError
from course_lib.checks.report import Diagnosis, PartResult, Report

REPEATED = 1e-12
PROBED = 1e-6  # how closely a call must be right in which loops are looked for
GROWS = {
    "positions": "more positions", "heads": "more heads",
    "batch": "more sequences in the batch",
}  # fmt: skip


@dataclass
class Findings:
    """All that was seen of a submission, before points are given."""

    known: Answers
    values: list[Any] = field(default_factory=list)
    outcomes: list[list[Outcome]] = field(default_factory=list)
    differences: list[Difference | None] = field(default_factory=list)
    form: FormProblem | None = None
    refused: str = ""

    def compare(self, k: int, outcomes: list[Outcome]) -> FormProblem | None:
        """Note what the calls of a case gave, and in what that differs from the right value."""
        case, expected = self.known.cases[k], self.known.expected[k]
        value = combine(self.known.exercise, [_value(o) for o in outcomes])
        self.values[k], problem = as_expected_form(value, expected)
        self.differences[k] = first_difference(self.values[k], expected, case.tolerance)
        return problem

    @property
    def failing(self) -> list[int]:
        """The cases whose values are wrong, those of a single call first."""
        wrong = [k for k, difference in enumerate(self.differences) if difference is not None]
        return sorted(wrong, key=lambda k: len(self.known.cases[k].calls) > 1)

    def all_outcomes(self) -> list[Outcome]:
        """Every call of every case."""
        return [outcome for calls in self.outcomes for outcome in calls]

    def first_error(self) -> StudentError | None:
        """The first exception; where only some calls fail, the first of those."""
        return next((o.error for o in self.all_outcomes() if o.error), None)


def examine(exercise: Exercise, function: Any, seed: int, visible: bool) -> Report:
    """Check a function (see `course_lib.checks.check`)."""
    submission = Submission(function)
    known = answers(exercise, seed)
    first = submission(*known.cases[0].calls[0])
    if first.error and first.error.kind == "NotImplementedError":
        return _not_written(exercise, seed, visible)
    found = Findings(known)
    for k, case in enumerate(known.cases):
        _try_case(found, submission, k, case)
    return _Judgement(exercise, submission, found, visible).report(seed, first)


def _try_case(found: Findings, submission: Submission, k: int, case: Case) -> None:
    outcomes = [submission(*args) for args in case.calls]
    found.outcomes.append(outcomes)
    found.refused = found.refused or next((o.refused for o in outcomes if o.refused), "")
    found.values.append(None)
    found.differences.append(None)
    problem = found.compare(k, outcomes)
    found.form = found.form or problem


def _not_written(exercise: Exercise, seed: int, visible: bool) -> Report:
    parts = tuple(PartResult(p.title, p.points, 0) for p in exercise.parts)
    note = Diagnosis(
        "not_written", "Not written yet",
        f"Replace `raise NotImplementedError` by your answer: {exercise.contract}.",
        exercise.section,
    )  # fmt: skip
    return Report(exercise.name, parts, (note,), None, visible, seed)


class _Judgement:
    """Turn findings into points and messages."""

    def __init__(
        self, exercise: Exercise, submission: Submission, found: Findings, visible: bool
    ) -> None:
        self.exercise, self.submission = exercise, submission
        self.found, self.visible = found, visible
        self.diagnoses: list[Diagnosis] = []
        self.lost: set[str] = set()
        self.untried: set[str] = set()

    def report(self, seed: int, first: Outcome) -> Report:
        found = self.found
        failing = self._set_aside_read_only(found.failing)
        explanation = Explanation((), None)
        forgetful = self._check_repeat(first)
        if found.refused:
            what = found.refused if self.visible else type_in_few_words(found.refused)
            self._note("refused_type", "The result is no plain number or array",
                       f"The function returned {what}. Return exact Python numbers and "
                       "plain NumPy arrays (np.asarray turns a subclass into one).")  # fmt: skip
            self.lost |= {p.key for p in self.exercise.parts}
        elif found.form:
            told = f"The contract: {self.exercise.contract}." if self._nothing_returned() else ""
            self._note(found.form.id, found.form.title, f"{found.form.message} {told}")
            self.lost.add(self.exercise.parts[0].key)
        if failing and not found.refused and not self._nothing_returned():
            explanation = explain(found.known, found.values, failing, not forgetful, self.visible)
            self._explain(explanation, failing, forgetful)
        if not found.refused:
            self._check_inputs()
            self._check_tampering()
        self._check_generator(forgetful)
        self._check_sharing(explanation)
        parts = self._score(failing, explanation)
        error = self._untold_error(failing, explanation)
        text = describe(error, self.visible) if error else None
        return Report(self.exercise.name, parts, tuple(self.diagnoses), text, self.visible, seed)

    def _untold_error(self, failing: list[int], explanation: Explanation) -> StudentError | None:
        """Return the exception to show; none where the mistakes that are named explain it."""
        stopped = [isinstance(v, Raised) for v in self.found.values]
        named = bool(explanation.switches) and explanation.stuck is None
        if (not failing or named) and self.diagnoses and not all(stopped):
            return None
        return next(
            (o.error for o in self.found.all_outcomes() if o.error and not writes_to_read_only(o)),
            self.found.first_error(),
        )

    # ------------------------------------------------------------ values

    def _explain(self, explanation: Explanation, failing: list[int], forgetful: bool) -> None:
        told = explanation.stuck is not None and bool(self._terms())
        for number, named in enumerate(() if told else explanation.switches):
            if self.visible or number < MOST_MISTAKES:
                self.diagnoses.append(self._of_switch(named, failing))
            self.lost |= set(named.costs)
        unexplained = explanation.stuck is not None or not explanation.switches
        if unexplained and not forgetful:
            self.diagnoses.append(self._given_back(failing) or self._located(explanation, failing))

    def _of_switch(self, named: Switch, failing: list[int]) -> Diagnosis:
        """Tell of the simplest failing case on which this mistake shows."""
        at = next((k for k in failing if self.found.known.shows(named, k)), failing[0])
        story = self._story(at) if self.visible else self._tried(at)
        return Diagnosis(named.id, named.title, f"{story}\n{named.message}", named.section)

    def _located(self, explanation: Explanation, failing: list[int]) -> Diagnosis:
        known = self.found.known
        at = known.cases.index(explanation.stuck) if explanation.stuck else failing[0]
        if at not in failing:
            at = failing[0]
        case, difference = known.cases[at], self.found.differences[at]
        value = self.found.values[at]
        story = self._story(at)
        if isinstance(value, Raised):
            error = next(o.error for o in self.found.outcomes[at] if o.error)
            return Diagnosis(
                "raises", f"Your code stops with {self._kind(value.kind)}",
                f"{self._tried(at)}\n{describe(error, self.visible)}",
                self.exercise.section,
            )  # fmt: skip
        if all(is_constant(v) or is_undefined(v) for v in self.found.values) and not (
            isinstance(value, np.ndarray) and np.isinf(value).any()
        ):
            what = "NaN" if is_undefined(value) else "the same number"
            return Diagnosis(
                "constant", f"Every entry of the result is {what}, whatever the input",
                f"{story}\nThe result does not depend on the arguments: look at what your last "
                "line returns (zeros of the right shape, or a name that was never filled).",
                self.exercise.section,
            )  # fmt: skip
        if difference is not None and difference.what in ("shape", "type", "dtype"):
            return Diagnosis(
                f"wrong_{difference.what}", f"The result has the wrong {difference.what}",
                f"{story}\nThe contract: {self.exercise.contract}.", self.exercise.section,
            )  # fmt: skip
        if difference is not None and difference.place and not difference.place.startswith("["):
            before = "Not so" if difference.what == "statement" else "Not as it should be"
            return Diagnosis(
                "located", f"{before}: {difference.place}", story, self.exercise.section
            )
        more = self._terms()
        box = self._box(case)
        before = " Besides the mistake above," if explanation.switches and not more else ""
        sentence = f"{before} something is wrong in {box}." if before else (
            "It is the simplest input that goes wrong.")  # fmt: skip
        return Diagnosis(
            "located", f"Something is wrong in {box}",
            f"{story}\n{more or sentence.strip()}", self.exercise.section,
        )  # fmt: skip

    def _box(self, case: Case) -> str:
        """Say which part of the function is at fault if this is the first case to fail."""
        wrong = {self.found.known.cases[k].name for k in self.found.failing}
        for name, box in case.boxes:
            if name not in wrong:
                return box
        if case.probe is not None:
            args, box = case.probe
            outcome = self.submission(*args)
            due = run_case(self.exercise, self.exercise.reference(), Case("probe", (args,), ""))
            if not outcome.error and first_difference(outcome.value, due, case.tolerance) is None:
                return box
        return case.box or "the result"

    def _given_back(self, failing: list[int]) -> Diagnosis | None:
        """Say so if the function returns one of its arguments as it came."""
        pairs = [
            (case.calls[0], value)
            for case, value in zip(self.found.known.cases, self.found.values, strict=True)
            if len(case.calls) == 1
        ]
        for i, name in enumerate(self.exercise.arguments):
            if pairs and all(
                isinstance(value, np.ndarray) and len(args) > i
                and np.array_equal(value, args[i])
                for args, value in pairs
            ):  # fmt: skip
                return Diagnosis(
                    "unchanged", f"{name} comes back unchanged",
                    f"{self._story(failing[0])}\nWhat is returned is {name} itself: look at what "
                    "your last line returns.", self.exercise.section,
                )  # fmt: skip
        return None

    def _terms(self) -> str:
        """Say which terms of a formula are off, if the exercise can tell."""
        if self.exercise.locate is None:
            return ""
        known = self.found.known
        return self.exercise.locate(known.cases, self.found.values, known.expected, self.visible)

    def _story(self, k: int) -> str:
        difference = self.found.differences[k]
        if difference and difference.what == "statement":
            return self._tried(k)
        came = difference.sentence(self.visible) if difference else "Got the right result"
        return f"{self._tried(k)} {came}."

    def _tried(self, k: int) -> str:
        return f"Tried: {self.found.known.cases[k].story(self.visible)}."

    def _nothing_returned(self) -> bool:
        def nothing(value: Any) -> bool:
            several = isinstance(value, list) and bool(value)
            return all(v is None for v in value) if several else value is None

        return all(map(nothing, self.found.values))

    def _proves_nothing(self) -> bool:
        """Say whether every result is one number throughout, not finite, or an argument.

        They may happen to be what a named mistake gives, but no part of an answer is in them.
        """
        return all(
            is_empty_handed(value, case.calls)
            for case, value in zip(self.found.known.cases, self.found.values, strict=True)
        )

    def _right_beside(self, part: Part, explanation: Explanation) -> bool:
        """Say whether a part that the mistakes found do not cost is seen to be right."""
        if isinstance(part.component, int):
            return any(self._right_by_case(part.component))
        return is_proven(self.found.known, part, explanation, self.found.values)

    def _component_right(self, i: Any) -> bool:
        """Say whether one item of the returned tuple, or of the digest, is right in every case."""
        return all(self._right_by_case(i))

    def _right_by_case(self, i: Any) -> list[bool]:
        """Say for every case of a single call whether one item of the result is right."""
        known = self.found.known
        return [
            type(got) is type(expected)
            and len(got) == len(expected)
            and first_difference(got[i], expected[i], case.tolerance) is None
            for got, expected, case in zip(
                self.found.values, known.expected, known.cases, strict=True
            )
            if not isinstance(expected, list)  # several calls: those inputs occur alone as well
        ]

    # ------------------------------------------------------------ conduct

    def _set_aside_read_only(self, failing: list[int]) -> list[int]:
        """A write to a read-only argument is a matter of conduct, not of values."""
        writing = [
            k for k in failing if any(writes_to_read_only(o) for o in self.found.outcomes[k])
        ]
        if len(writing) == len(self.found.known.cases):
            return failing
        for k in writing:
            # The value counts as it is where writing is allowed: the text of an exception is free.
            case = self.found.known.cases[k]
            values = [self.submission(*writable(args)) for args in case.calls]
            self.found.compare(k, values)
            if self.found.differences[k] is None:
                self.lost.add("inputs")
                failing = [other for other in failing if other != k]
        return failing

    def _check_inputs(self) -> None:
        outcomes = self.found.all_outcomes()
        changed = changed_arguments(outcomes, self.exercise.arguments)
        changed = [name for name in changed if name != GLOBAL_GENERATOR]
        if not changed and "inputs" not in self.lost:
            return
        self.lost.add("inputs")
        error = next((o.error for o in outcomes if writes_to_read_only(o)), None)
        if not self.visible:  # which entries and which line could say much of hidden inputs
            changed, error = [name.partition("[")[0] for name in changed[:1]], None
        what = f"After the call {', '.join(changed[:4])} had changed." if changed else ""
        where = f" The line that does it: `{error.line}`." if error and error.line else ""
        self._note("changes_inputs", "The function changes its inputs",
                   f"{what}{where} Operators such as += and out= write into the array they are "
                   "given: make a new one, or work on a copy.")  # fmt: skip

    def _check_tampering(self) -> None:
        """What a process says of itself is not believed if its code can change what it says."""
        watched = {p.key for p in self.exercise.parts if p.conduct in ("inputs", "loops")}
        if not self.submission.tampering or not watched:
            return
        self.lost |= watched
        self.untried |= watched
        self._note("unobservable", "Loops and changed inputs could not be looked for",
                   f"Your cells use `{self.submission.tampering}`, by which a program can hide "
                   "what it does. Leave it out of this cell and of those above.")  # fmt: skip

    def _check_generator(self, forgetful: bool) -> None:
        """A function that reseeds NumPy's global generator changes the draws of everyone else."""
        if not any(GLOBAL_GENERATOR in o.changed for o in self.found.all_outcomes()):
            return
        named = {p.key for p in self.exercise.parts} & {"seed", "repeat"}
        self.lost |= named
        if not forgetful and named:
            self._note("global_generator", "NumPy's global random generator is changed",
                       "np.random.seed resets a state that belongs to the whole program, a side "
                       "effect on everybody who draws after you. Make a generator of your own: "
                       "rng = np.random.default_rng(seed).")  # fmt: skip

    def _check_sharing(self, explanation: Explanation) -> None:
        """Tensors that share memory change together when one of them is trained."""
        pair = next((o.shared for o in self.found.all_outcomes() if o.shared), ())
        if not pair or explanation.switches or all(p.key != "seed" for p in self.exercise.parts):
            return
        self.lost.add("seed")
        one, two = (f"P{place}" for place in pair)
        which = f"{one} and {two}" if self.visible else "Two tensors"
        self._note("shared_memory", "Two tensors share memory",
                   f"{which} are the same array, or views of one: whoever changes the one "
                   "changes the other. Make a new array for each tensor.")  # fmt: skip

    def _check_repeat(self, first: Outcome) -> bool:
        if not any(part.conduct == "repeat" for part in self.exercise.parts):
            return False
        case = self.found.known.cases[0]
        again = self.submission(*case.calls[0])
        wrong = any(_differs(first, other) for other in (self.found.outcomes[0][0], again))
        if wrong:
            self.lost.add("repeat")
            self._note("hidden_state", "The result depends on earlier calls or on chance",
                       "The same call gave different results: look for a global or "
                       "cached array that is written to, a counter, or random numbers (dropout) in "
                       "the function.")  # fmt: skip
        return wrong

    def _title(self, part: Part) -> str:
        why = "could not be seen" if self.submission.tampering else "not tried: your code stops"
        return part.title + (f" ({why})" if part.key in self.untried else "")

    def _check_loops(self) -> None:
        known = self.found.known
        if self.submission.tampering:
            return
        loops = find_loops(self.submission, known.probes, self._believable)
        if loops is None and any(isinstance(v, Raised) for v in self.found.values):
            self.lost.add("loops")
            self.untried.add("loops")
        elif loops is None:
            self.lost.add("loops")
            self._note("untraceable", "What the function executes could not be counted",
                       "It fails or is wrong on a larger input, or it behaves otherwise while its "
                       "lines are counted (by sys.settrace).")  # fmt: skip
        elif loops:
            self.lost.add("loops")
            axes = " and ".join("the batch" if axis == "batch" else axis for axis in loops)
            more = " or ".join(GROWS[axis] for axis in loops)
            self._note("loops", f"There is a loop over {axes}",
                       f"Your code executes more lines with {more}. Do all of them at once with "
                       "array operations: @ and einsum work on any leading axes. Comprehensions "
                       "are loops too; np.vectorize and np.apply_along_axis are loops in "
                       "disguise.")  # fmt: skip

    def _believable(self, args: tuple[Any, ...], outcome: Outcome) -> bool:
        """Say whether a call gave what the function gives: the right value, or its usual one."""
        probe = Case("probe", (args,), "")
        expected = run_case(self.exercise, self.exercise.reference(), probe)
        value, _ = as_expected_form(combine(self.exercise, [_value(outcome)]), expected)
        difference = first_difference(value, expected, PROBED)
        if difference is None or not self.found.failing:
            return difference is None
        in_form = difference.what not in ("shape", "type", "dtype")
        in_form = in_form and not is_empty_handed(value, [args])
        return in_form and not _differs(self.submission(*args), outcome)

    def _kind(self, kind: str) -> str:
        return kind if self.visible else error_in_few_words(kind)

    def _note(self, id: str, title: str, message: str) -> None:  # noqa: A002
        self.diagnoses.append(Diagnosis(id, title, message.strip(), self.exercise.section))

    # ------------------------------------------------------------ points

    def _score(self, failing: list[int], explanation: Explanation) -> tuple[PartResult, ...]:
        """Give each part its points.

        If the mistakes found explain every value, the other parts are right of which a mistake
        would have shown, and earned. Otherwise a part is earned if all its own cases are right.
        """
        explained = not failing or (bool(explanation.switches) and explanation.stuck is None)
        wrong = {self.found.known.cases[k].name for k in failing}
        if failing and not (explained and self.exercise.parts[0].own):
            self.lost.add(self.exercise.parts[0].key)

        def earned(part: Part) -> bool:
            if part.key in self.lost:
                return False
            if not failing:
                return True
            if explained:
                return self._right_beside(part, explanation)
            if part.component is not None:
                return self._component_right(part.component)
            return bool(part.cases) and not wrong & set(part.cases)

        nothing = (
            self.found.refused
            or self._nothing_returned()
            or is_one_number(self.found.values)
            or (bool(failing) and self._proves_nothing())
        )
        values = {p.key for p in self.exercise.parts if not p.conduct and not nothing and earned(p)}
        # a named mistake that explains every value is an answer, though it may cost all its parts
        answered = bool(values) or (explained and not nothing)
        if answered and any(p.conduct == "loops" for p in self.exercise.parts):
            self._check_loops()

        def points(part: Part) -> float:
            if part.conduct:
                return part.points if answered and part.key not in self.lost else 0
            return part.points if part.key in values else 0

        return tuple(PartResult(self._title(p), p.points, points(p)) for p in self.exercise.parts)


def _value(outcome: Outcome) -> Any:
    return Raised(outcome.error.kind) if outcome.error else outcome.value


def _differs(one: Outcome, other: Outcome) -> bool:
    if one.error or other.error:
        return bool(one.error) != bool(other.error)
    return first_difference(other.value, one.value, REPEATED) is not None


def describe(error: StudentError | None, visible: bool) -> str:
    """Say which exception it was, in the student's own line; its text only if it is visible."""
    if error is None:
        return ""
    text = f": {error.text}" if visible and error.text else ""
    where = f" in your line `{error.line}`" if error.line else ""
    number = f" (line {error.line_number})" if error.line and error.line_number else ""
    kind = error.kind if visible else error_in_few_words(error.kind)
    return f"{kind}{where}{number}{text}"
