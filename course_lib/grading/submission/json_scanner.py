"""A JSON reader that can leave things out.

It walks over the bytes and decodes only what it is asked for, so that 200 MB of outputs cost one
pass of a regular expression and no memory. It forgives what a decoder would refuse: missing and
doubled commas, control characters, bytes that are no UTF-8. No recursion: depth is a number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_VALUE = 2**21  # bytes of one value that is decoded
MAX_MENDED = 2**17  # characters of one value whose JSON is mended
MAX_DEPTH = 60  # of one value that is decoded
MAX_BRACKETS = 1_000_000  # of one value, looked at one by one: a quarter of a second
MAX_STEPS = 1_500_000  # brackets, items and keys of the whole file

# A possessive group keeps no way back, so a string of 200 MB costs no memory. Only one whose first
# character decides may be possessive: in Python before 3.11.5 any other loses its place.
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_ITEM = rb'[^"\[\]{}]++|' + _STRING
# Items, and brackets with few items in them: as far as depth does not matter, 1,000 at a time.
_RUN = re.compile(rb"(?:" + _ITEM + rb"|[\[{](?:" + _ITEM + rb"){0,64}[\]}]){0,1000}", re.DOTALL)
_TOKEN = re.compile(_STRING, re.DOTALL)
_SCALAR = re.compile(rb'[^\s,:"\[\]{}]++')
_BLANK = re.compile(rb"[\s,]*+")
_COLON = re.compile(rb"\s*+:\s*+")
_BAD_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)')

# Bytes that are no UTF-8, as `surrogateescape` shows them: read as Windows' Latin-1.
_LATIN = {
    0xDC00 + byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(128, 256)
}


class Broken(ValueError):
    """The JSON ends or makes no sense here."""


class Exhausted(Broken):
    """The JSON has more parts than anybody's notebook; nothing more is read of it."""


class TooBig:
    """Stands for a value that is too long or too deep to be decoded."""


TOO_BIG = TooBig()


class JsonScanner:
    """Walks over the JSON in `data`.

    position: the next byte; oddities: what was forgiven, by name.
    """

    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data = data
        self.position = position
        self.steps = 0
        self.oddities: set[str] = set()

    def at(self) -> bytes:
        """Return the next byte that is neither blank nor a comma, b"" at the end."""
        blank = _BLANK.match(self.data, self.position)
        self.position = blank.end() if blank else self.position
        return self.data[self.position : self.position + 1]

    def items(self) -> Iterator[int]:
        """Yield the position of each item of the array here; whoever asks consumes the item."""
        self.position += 1
        while (byte := self.at()) != b"]":
            if byte in (b"", b"}"):
                raise Broken
            self._step()
            yield self.position
        self.position += 1

    def members(self) -> Iterator[str]:
        """Yield the key of each member of the object here; whoever asks consumes the value."""
        self.position += 1
        while (byte := self.at()) != b"}":
            key = _TOKEN.match(self.data, self.position) if byte == b'"' else None
            colon = _COLON.match(self.data, key.end()) if key else None
            if key is None or colon is None:
                raise Broken
            self._step()
            self.position = colon.end()
            yield self.text(key.start() + 1, min(key.end() - 1, key.start() + 200))
        self.position += 1

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            self.oddities.add("too_big")
            raise Exhausted

    def skip(self) -> int:
        """Go past one value and return how deep it was."""
        byte, data = self.at(), self.data
        if byte == b'"':
            token = _TOKEN.match(data, self.position)
        elif byte not in (b"[", b"{"):
            token = _SCALAR.match(data, self.position)
        else:
            return self._skip_brackets()
        if token is None:
            raise Broken
        self.position = token.end()
        return 0

    def _skip_brackets(self) -> int:
        depth, deepest, position = 0, 0, self.position
        last = self.steps + MAX_BRACKETS
        while True:
            byte = self.data[position : position + 1]
            if byte in (b"[", b"{"):
                depth += 1
                deepest = max(deepest, depth)
            elif byte in (b"]", b"}"):
                depth -= 1
            else:  # the end, or a string without one
                raise Broken
            position += 1
            self._step()
            if depth == 0:
                self.position = position
                return deepest
            if self.steps > last:
                self.oddities.add("too_big")
                raise Broken
            position = self._run(position)

    def _run(self, position: int) -> int:
        while (run := _RUN.match(self.data, position)) and run.end() > position:
            position = run.end()
        return position

    def value(self) -> Any:
        """Go past one value and return it decoded, or `TOO_BIG`."""
        self.at()
        start = self.position
        depth = self.skip()
        if self.position - start > MAX_VALUE or depth > MAX_DEPTH:
            self.oddities.add("too_big")
            return TOO_BIG
        return self._decoded(self.text(start, self.position))

    def text(self, start: int, end: int) -> str:
        """Return these bytes as text."""
        text = self.data[start:end].decode("utf-8", "surrogateescape")
        try:
            text.encode()
        except UnicodeEncodeError:
            self.oddities.add("encoding")
            text = text.translate(_LATIN)
        return text

    def _decoded(self, text: str) -> Any:
        try:
            return _DECODER.decode(text)
        except ValueError:
            self.oddities.add("bad_json")
        if len(text) > MAX_MENDED:
            return None
        # Invalid escapes are the usual reason; then a list of strings without its commas.
        text = _BAD_ESCAPE.sub(lambda found: found[0] if found[1] else "\\\\", text)
        try:
            return _DECODER.decode(text)
        except ValueError:
            pass
        if not text.startswith("["):
            return None
        strings = [match[0].decode() for match in _TOKEN.finditer(text.encode())]
        return [self._string(string) for string in strings]

    def _string(self, token: str) -> str:
        try:
            return str(_DECODER.decode(token))
        except ValueError:
            return ""


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < 20 else 0


# strict=False lets control characters stand in strings.
_DECODER = json.JSONDecoder(strict=False, parse_int=_integer)
