"""One attack: a submission, what it tries, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.grading.attacks.small_course import HONEST, WRONG, Handed, cell

Places = dict[str, str]
"""Where the secrets lie: "home", "course", "gradebook", "classmate" → path."""


@dataclass(frozen=True)
class Attack:
    """A hostile submission.

    tries: in a sentence. handed: makes the submission, given where secrets lie. earns: the score
    that it must get, which is that of its answers without the attack. evidence: text that must
    stand in the outputs or reasons, so that it is known that the attack was carried out (" or "
    between alternatives). leaks:
    further text that feedback must not hold. remark: the kind of a remark that must be made.
    """

    name: str
    family: str
    tries: str
    handed: Callable[[Places], Handed]
    earns: float
    evidence: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    remark: str = ""


def filled(source: str, places: Places) -> str:
    """Put paths where a source says @home@ and the like."""
    for name, path in places.items():
        source = source.replace(f"@{name}@", path)
    return source.strip("\n")


def forging(
    name: str, tries: str, code: str = "", earns: float = 0.0, evidence: tuple[str, ...] = (),
    leaks: tuple[str, ...] = (), **answers: str,
) -> Attack:  # fmt: skip
    """Make an attack by wrong answers, with code that runs before them."""

    def handed(places: Places) -> Handed:
        texts = WRONG | {name: filled(text, places) for name, text in answers.items()}
        return Handed(texts, [filled(code, places)] if code else [])

    return Attack(name, "forged results", tries, handed, earns, evidence, leaks)


def beside_honest(
    family: str, name: str, tries: str, code: str, earns: float = 8.0,
    evidence: tuple[str, ...] = (), leaks: tuple[str, ...] = (), **answers: str,
) -> Attack:  # fmt: skip
    """Make an attack by code in a cell of its own, beside right answers."""

    def handed(places: Places) -> Handed:
        texts = HONEST | {name: filled(text, places) for name, text in answers.items()}
        return Handed(texts, [filled(code, places)] if code else [])

    return Attack(name, family, tries, handed, earns, evidence, leaks)


def in_call(
    family: str, name: str, tries: str, code: str, earns: float = 6.0,
    evidence: tuple[str, ...] = (),
) -> Attack:  # fmt: skip
    """Make an attack by a call of `double`; the other answers are right."""
    body = "\n".join("    " + line for line in code.strip("\n").split("\n"))
    return beside_honest(
        family, name, tries, "", earns, evidence, double=f"def double(x):\n{body}\n    return 2 * x"
    )


def later(source: str) -> dict[str, object]:
    """Make a code cell of the student's own."""
    return cell("own", source)
