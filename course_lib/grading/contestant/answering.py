"""Do what the judge asks, inside the wall: run a cell, look up names, call a function.

Whatever this process says is the student's word, because the student's code shares it. The judge
takes plain values from it, checks their form, and believes nothing else.
"""

from __future__ import annotations

import builtins
import getpass
import random
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from course_lib.grading.shell import NO_INPUT, Shell, cell_lines, refuse_input
from course_lib.grading.wire import NotPlain, encode

LONGEST_TEXT = 2000  # characters of an exception's text
Receive = Callable[[], Any]
Send = Callable[[bytes], None]


class Answering:
    """One student's notebook.

    limit: bytes of one reply; instruments: modules whose functions may wrap a call.
    """

    def __init__(self, shell: Shell, instruments: Mapping[str, ModuleType], limit: int) -> None:
        self.shell = shell
        self.instruments = instruments
        self.limit = limit
        self.objects: list[Any] = []  # what the judge refers to by number

    def serve(self, receive: Receive, send: Send) -> None:
        """Answer requests until the judge hangs up."""
        builtins.input = refuse_input
        getpass.getpass = _refuse_password
        while True:
            request = receive()
            if request is None:
                return
            send(self.reply(request))

    def reply(self, request: dict[str, Any]) -> bytes:
        """Return the reply to one request, as a message."""
        answer = getattr(self, "do_" + request.pop("do"))(**request)
        try:
            return encode(answer, self.limit)
        except NotPlain as error:
            shown = {"outputs": answer.get("outputs", [])[:1]}
            value = answer.get("value")
            if callable(value) and not isinstance(value, type):
                return encode({"function": self.remember(value), **shown})
            return encode({"refused": str(error), **shown})

    def do_seed(self, seed: int) -> dict[str, Any]:
        """Make both global random generators start from a number."""
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002
        return {}

    def do_run(self, cell: str, source: str, limit: int, pictures: bool = True) -> dict[str, Any]:
        """Run a cell."""
        error = self.shell.run(cell, source, limit, pictures=pictures)
        return {"error": self.told(error), "outputs": self.shown()}

    def do_names(self, names: list[str]) -> dict[str, Any]:
        """Say what each name stands for: a value, a function, something else, or nothing."""
        space = self.shell.user_ns
        return {"names": {name: self.look(space[name]) for name in names if name in space}}

    def look(self, value: Any) -> tuple[Any, ...]:
        """Describe an object: as a value if it is plain, else by a number to refer to it."""
        try:
            encode(value, self.limit)
        except NotPlain as error:
            if isinstance(value, type) or not callable(value):
                return "other", self.remember(value), str(error)
            doc = getattr(value, "__doc__", None)
            return "function", self.remember(value), doc if type(doc) is str else None
        return "value", self.remember(value), value

    def remember(self, value: Any) -> int:
        """Return the number by which the judge may refer to an object."""
        for number, known in enumerate(self.objects):
            if known is value:
                return number
        self.objects.append(value)
        return len(self.objects) - 1

    def do_bind(self, name: str, number: int) -> dict[str, Any]:
        """Let a name stand for an object that the judge refers to."""
        self.shell.user_ns[name] = self.objects[number]
        return {}

    def do_set(self, name: str, value: Any) -> dict[str, Any]:
        """Let a name stand for a plain value of the judge's."""
        self.shell.user_ns[name] = value
        return {}

    def do_delete(self, name: str) -> dict[str, Any]:
        """Forget a name."""
        self.shell.user_ns.pop(name, None)
        return {}

    def do_call(
        self,
        number: int,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        limit: int,
        in_place: bool = False,
        through: tuple[str, str] | None = None,
        options: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Call an object; through an instrument, if asked for."""
        function = self.objects[number]
        self.shell.outputs.start(limit)
        with self.shell.writing():
            try:
                if through is None:
                    value = function(*args, **kwargs)
                else:
                    wrap = getattr(self.instruments[through[0]], through[1])
                    value = wrap(function, args, kwargs, **(options or {}))
            except BaseException as error:
                return {"error": self.told(error), "outputs": self.shown()}
        answer = {"value": value, "outputs": self.shown()}
        if in_place:
            answer["args"] = [_after(one) for one in args]
        return answer

    def told(self, error: BaseException | None) -> dict[str, Any] | None:
        """Describe an exception: its type, its text, the lines of cells that it passed through."""
        if error is None:
            return None
        try:
            text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        except BaseException:  # a hostile __str__
            text = ""
        if isinstance(error, SyntaxError):
            text = str(error.msg)
        try:
            where = cell_lines(error, _is_cell)
        except BaseException:
            where = []
        return {
            "kinds": [_name(kind) for kind in type(error).__mro__[:20]],
            "text": text[:LONGEST_TEXT],
            "where": [list(place) for place in where],
        }

    def shown(self) -> list[dict[str, Any]]:
        """Return what a student may show: text and PNG pictures."""
        found = []
        for output in self.shell.outputs.taken():
            if output["output_type"] == "stream":
                found.append(output)
                continue
            data = {k: v for k, v in output["data"].items() if k in ("text/plain", "image/png")}
            found.append({"output_type": output["output_type"], "data": data})
        return found


def _is_cell(filename: str) -> bool:
    return filename.startswith("<cell ")


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"[:100]


def _after(value: Any) -> Any:
    """Return a mutable argument as it is after the call, in a list; None for one that is not."""
    if not isinstance(value, list | dict | set | np.ndarray):
        return None
    try:
        encode(value)
    except NotPlain:
        return None
    return [value]


def _refuse_password(*_: object, **__: object) -> str:
    raise EOFError(NO_INPUT)
