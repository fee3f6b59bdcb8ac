"""What stands in the instructor's cells for what a student made: proxies and copies.

A function becomes a `FunctionProxy`: a call sends plain data across the wall and receives plain
data. A value is copied. Names stay in step: when a test deletes or rebinds a student's name, the
student's side is told before the next call.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from course_lib.grading.judge.far_side import FarSide
from course_lib.grading.judge.few_words import COMMON_KINDS, OTHER_KIND, Lines, line_told
from course_lib.grading.shell import Stream
from course_lib.grading.wire import NotPlain

PLAIN = "numbers, text, lists, tuples, dicts, sets, arrays"


class StudentError(Exception):
    """An exception in a student's code that is none of Python's own, or that ends programs."""


class CannotCross(BaseException):
    """A test needs a live object of the student's, but only plain data crosses the wall.

    No Exception, so that no test that expects one is content with it: see `Space.refusal`.
    """

    def __init__(self, text: str, *, too_large: bool = False) -> None:
        super().__init__(text)
        self.too_large = too_large


class FunctionProxy:
    """A student's function. Arguments and results are plain data, and copies.

    Raises, when called, what the student's code raised if that is a type of Python's own, else
    StudentError; `CannotCross` where arguments or result are no plain data.
    """

    def __init__(self, space: Space, name: str, number: int, doc: str | None) -> None:
        self._space = space
        self.number = number
        self.generation = space.far.generation
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc

    def __repr__(self) -> str:
        return f"<the student's function {self.__name__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it with plain data."""
        return self._space.call(self, args, kwargs)

    def through(self, instrument: str, args: Any, kwargs: Any, **options: Any) -> Any:
        """Call `MODULE.FUNCTION(function, args, kwargs, **options)` on the student's side.

        instrument: "MODULE.FUNCTION" of one of the course's instruments. What comes back is plain
        data, and the student's word.
        """
        module, _, name = instrument.rpartition(".")
        self._space.far.require_instrument(module)
        try:
            return self._space.call(self, args, kwargs, (module, name), options)
        except CannotCross:
            self._space.refusal = None  # who asks in this way says itself what that means
            raise

    def line(self, cell: str, number: int) -> str:
        """Return a line of the student's cells from the judge's own copy; "" if there is none."""
        space = self._space
        if space.hidden or space.far.tainted:
            return line_told(cell, number, space.own)
        lines = space.lines.get(cell, ())
        return lines[number - 1].strip()[:200] if 1 <= number <= len(lines) else ""

    def written(self) -> tuple[str, ...]:
        """Return the texts of the student's cells that have run, from the judge's own copy."""
        return self._space.written


class ObjectProxy:
    """A student's class or other object that cannot cross. Any use of it says so."""

    def __init__(self, space: Space, name: str, described: str) -> None:
        self._space = space
        self._name = name
        self._described = described

    def __repr__(self) -> str:
        return f"<the student's {self._name}, {self._described}>"

    def _refuse(self) -> CannotCross:
        return self._space.refuse(
            f"Your {self._name} is {self._described}, and a test can only use functions and plain "
            f"data ({PLAIN})"
        )

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Refuse."""
        raise self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._refuse()

    def __iter__(self) -> Any:
        raise self._refuse()

    def __len__(self) -> int:
        raise self._refuse()

    def __getitem__(self, _: Any) -> Any:
        raise self._refuse()


class Space:
    """The student's names, as the instructor's cells see them.

    names: the judge's namespace; lines: the cells of the student's side, line by line; own: those
    of them that the student wrote; watched: the names that answers may bind; guessed: those of them
    that no solution of the instructor's binds; inputs: the names that a test may set for an
    answer's functions; hidden: whether the running cell has hidden lines; in_place: whether calls
    write back to their arguments.
    """

    def __init__(
        self,
        far: FarSide,
        names: dict[str, Any],
        watched: Iterable[str],
        lines: Lines,
        own: Lines,
        guessed: Iterable[str] = (),
        inputs: Iterable[str] = (),
    ) -> None:
        self.far = far
        self.lines = lines
        self.own = own
        self.names = names
        self.watched = frozenset(watched)
        self.guessed = frozenset(guessed)
        self.inputs = frozenset(inputs)
        self.written: tuple[str, ...] = ()  # the student's cells that have run
        self.hidden = False
        self.in_place = False
        self.output_limit = self.left_to_say = far.limits.output
        self.said: list[dict[str, Any]] = []  # what the student's code showed during calls
        self.last_error: dict[str, Any] | None = None  # as the far side told it
        self.raised: Exception | None = None  # as it was raised here
        self.refusal: CannotCross | None = None  # counts even if the test caught it
        self._given: dict[str, Any] = {}  # what the names stood for on both sides
        self._made: dict[str, tuple[int, int]] = {}  # where on the far side: generation, number
        self._gone: set[str] = set()  # the names that the instructor deleted

    def begin_cell(self) -> None:
        """Forget what the calls of the cell before brought."""
        self.said.clear()
        self.left_to_say = self.output_limit
        self.raised = self.refusal = None

    def refuse(self, text: str, *, too_large: bool = False) -> CannotCross:
        """Return what to raise where something cannot cross, and keep it."""
        self.refusal = CannotCross(text, too_large=too_large)
        return self.refusal

    def fetch(self, wanted: Iterable[str]) -> None:
        """Let the names that a cell uses stand for what the student made of them."""
        asked = [name for name in sorted(self.watched.intersection(wanted)) if not self._own(name)]
        if not asked:
            return
        found = self.far.ask({"do": "names", "names": asked}).get("names")
        try:
            looks = {name: tuple(look) for name, look in _items(found) if name in asked}
            for name in asked:
                self._take(name, looks.get(name))
        except Exception:  # whatever it is that an impossible entry leads to
            raise self.far.no_answer("what it says of its names has another form") from None

    def _own(self, name: str) -> bool:
        """Say whether an instructor's cell made this name, in a way that reading it did not show.

        A star import, a magic, `global` in a function: a student's own function of that name, say
        `assert_allclose`, must not take its place.
        """
        here = self.names.get(name, _MISSING)
        return name in self.guessed and here is not self._given.get(name, _MISSING)

    def _take(self, name: str, look: tuple[Any, ...] | None) -> None:
        if look is None:
            self.names.pop(name, None)
            self._given.pop(name, None)
            return
        kind, number = look[0], int(look[1])
        place = (self.far.generation, number)
        if self._kept_here(name) and self._made.get(name) == place:
            return  # a test gave the name another meaning, and no answer did since
        known = self._given.get(name)
        if kind == "value":
            value = look[2]
        elif isinstance(known, FunctionProxy) and self._made.get(name) == place:
            value = known
        elif kind == "function":
            doc = look[2] if type(look[2]) is str else None
            value = FunctionProxy(self, name, number, doc)
        else:
            value = ObjectProxy(self, name, self._kind(str(look[2])[:100]))
        self.names[name] = self._given[name] = value
        self._made[name] = place

    # ---------------------------------------------------------------- calls

    def call(
        self,
        proxy: FunctionProxy,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        through: tuple[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a student's function across the wall."""
        self._tell_changes()
        if self.hidden:
            self.far.tainted = True
        request = {
            "do": "call", "number": proxy.number, "args": tuple(args), "kwargs": dict(kwargs),
            "limit": self.output_limit, "in_place": self.in_place, "through": through,
            "options": dict(options or {}),
        }  # fmt: skip
        if proxy.generation != self.far.generation:
            raise self.refuse(f"{proxy.__name__} was stopped; fetch it again")
        try:
            reply = self.far.ask(request)
        except NotPlain as error:
            raise self.refuse(
                f"{proxy.__name__} cannot be called with {error}: only plain data ({PLAIN}) "
                "crosses the wall"
            ) from None
        self._note(reply.get("outputs"))
        told = reply.get("error")
        if isinstance(told, dict):
            self.last_error = told
            self.raised = rebuilt(told, proxy.__name__)
            raise self.raised
        if type(reply.get("function")) is int and through is None:
            # A closure stays there, and is called there.
            return FunctionProxy(self, proxy.__name__, reply["function"], None)
        if "refused" in reply:
            raise self._refused(proxy.__name__, str(reply["refused"])[:100])
        if self.in_place:
            after = reply.get("args")
            for mine, theirs in zip(args, after if isinstance(after, list) else (), strict=False):
                if isinstance(theirs, list) and theirs:
                    _write_back(mine, theirs[0])
        return reply.get("value")

    def _refused(self, name: str, said: str) -> CannotCross:
        large = "larger than" in said or "more than" in said
        said = "something too large" if large else self._kind(said)
        text = f"Your function {name} returned {said}, where plain data is expected ({PLAIN})"
        return self.refuse(text, too_large=large)

    def _kind(self, said: str) -> str:
        """Return what an object is, as far as that cannot carry out what must stay hidden."""
        if (self.hidden or self.far.tainted) and said not in COMMON_KINDS:
            return OTHER_KIND
        return said

    def _note(self, outputs: Any) -> None:
        for output in outputs[:100] if isinstance(outputs, list) else ():
            if not _has_form(output):
                raise self.far.no_answer("what it says it printed has another form")
            if not _redirected(output) and self.left_to_say > 0:
                self.left_to_say -= 100 + output_size(output)
                self.said.append(output)

    @property
    def changed(self) -> bool:
        """Whether the far side has yet to be told of a name that an instructor's cell changed."""
        return bool(self._changes())

    def _changes(self) -> dict[str, Any]:
        """Return the names that the instructor's cell deleted (_MISSING), rebound or put back."""
        now = {name: self.names.get(name, _MISSING) for name in (*self._given, *self._gone)}
        return {
            name: value
            for name, value in now.items()
            if value is not self._far_value(name) and not self._kept_here(name)
        }

    def _kept_here(self, name: str) -> bool:
        """Say whether a test gave a name of the student's another meaning that must not cross.

        It may be an expected value: `for values, amount in …: assert add_up(values) == amount`
        with an answer that returns its own `amount`. What the instructor's own functions read is
        an input, and crosses; so does what is the student's anyway.
        """
        now = self.names.get(name, _MISSING)
        if now is _MISSING or now is self._given.get(name, _MISSING):
            return False
        return name not in self.inputs and not isinstance(now, FunctionProxy)

    def _far_value(self, name: str) -> Any:
        return _MISSING if name in self._gone else self._given[name]

    def _tell_changes(self) -> None:
        """Tell the far side which of its names the instructor's cell deleted or rebound."""
        for name, now in self._changes().items():
            if now is _MISSING:
                self.far.ask({"do": "delete", "name": name})
                self._given.pop(name)
                self._gone.add(name)
            else:
                self._gone.discard(name)
                self._tell(name, now)

    def _tell(self, name: str, now: Any) -> None:
        if isinstance(now, FunctionProxy):
            self.far.ask({"do": "bind", "name": name, "number": now.number})
            self._made[name] = (now.generation, now.number)
        elif callable(now):
            raise self.refuse(
                f"the test lets {name} stand for a function of its own, which the student's code "
                "cannot call across the wall: mark the test with the cell tag judge-live"
            )
        else:
            self.far.ask({"do": "set", "name": name, "value": now})
        self._given[name] = now


_MISSING = object()


def _has_form(output: Any) -> bool:
    """Say whether an output is a record of texts and of records of texts, and of nothing else."""
    return isinstance(output, dict) and all(
        value is None or isinstance(value, str)
        or (isinstance(value, dict) and all(isinstance(text, str) for text in value.values()))
        for value in output.values()
    )  # fmt: skip


def output_size(output: Mapping[str, Any]) -> int:
    """Return how many characters an output has, so that many calls cannot fill the memory."""
    parts = [part for value in output.values()
             for part in (value.values() if isinstance(value, dict) else [value])]  # fmt: skip
    return sum(len(part) for part in parts if isinstance(part, str))


def _redirected(output: Any) -> bool:
    """Print what the student's code printed if the test has a stream of its own for it.

    So `redirect_stdout` and `capture_output` find in a test what they would find without a wall.
    """
    if not isinstance(output, dict) or str(output.get("output_type")) != "stream":
        return False
    stream = sys.stderr if str(output.get("name")) == "stderr" else sys.stdout
    if isinstance(stream, Stream):
        return False
    stream.write(str(output.get("text", "")))
    return True


def _items(told: Any) -> Iterable[tuple[Any, Any]]:
    return dict(told).items()


def _write_back(mine: Any, theirs: Any) -> None:
    """Do to the instructor's argument what the student's function did to its copy."""
    if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
        if mine.shape == theirs.shape and mine.flags.writeable:
            mine[...] = theirs
    elif type(mine) is list and type(theirs) is list:
        mine[:] = theirs
    elif type(mine) in (dict, set) and type(theirs) is type(mine):
        mine.clear()
        mine.update(theirs)


def error_type(told: Mapping[str, Any]) -> type[Exception] | None:
    """Return the first of an exception's types that is Python's or NumPy's own; None if none is."""
    kinds = told.get("kinds")
    for name in kinds if isinstance(kinds, list) else ():
        module, _, short = str(name).rpartition(".")
        found: Any = getattr(builtins, short, None) if module == "builtins" else None
        if module == "numpy.linalg" and short == "LinAlgError":
            found = np.linalg.LinAlgError
        if isinstance(found, type) and issubclass(found, Exception):
            return found
    return None


def error_name(told: Mapping[str, Any]) -> str:
    """Return the name of an exception's type, which is none of the student's invention."""
    kinds = told.get("kinds")
    first = str(kinds[0]) if isinstance(kinds, list) and kinds else ""
    if first in ("builtins.SystemExit", "builtins.KeyboardInterrupt", "builtins.GeneratorExit"):
        return first.rpartition(".")[2]
    kind = error_type(told)
    return kind.__name__ if kind else "an exception"


def rebuilt(told: Mapping[str, Any], name: str) -> Exception:
    """Return an exception like the student's, to be raised in the instructor's cell."""
    text = str(told.get("text", ""))[:2000]
    kind = error_type(told)
    if kind is None or kind in (Exception, StopIteration, StopAsyncIteration):
        return StudentError(f"{name} raised {error_name(told)}: {text}")
    try:
        return kind(text)
    except TypeError:  # UnicodeDecodeError and its like want more
        return StudentError(f"{name} raised {kind.__name__}: {text}")
