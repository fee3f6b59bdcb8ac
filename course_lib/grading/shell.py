"""A cell runs as in Jupyter: IPython's shell, with what the cell shows written down.

Both sides use this file: the judge for the instructor's cells, the far side for the student's. It
needs IPython and matplotlib, and nothing of this package.
"""

from __future__ import annotations

import base64
import contextlib
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

INLINE = "module://matplotlib_inline.backend_inline"
NO_INPUT = "input() cannot be answered where notebooks are graded: give the value in the code"
CUT = "\n… the rest is left out: more than {limit:,} bytes\n"


class Outputs:
    """What one cell shows, in order, in the form of a notebook's outputs.

    limit: bytes that are kept; `cut` says whether there was more.
    """

    def __init__(self) -> None:
        self.start(2**20)

    def start(self, limit: int) -> None:
        """Begin a new cell."""
        self.items: list[dict[str, Any]] = []
        self.limit = self.left = limit
        self.cut = False

    def text(self, name: str, text: str) -> None:
        """Note what was written to a stream."""
        if self.cut:
            return
        if len(text) > self.left:
            text = text[: self.left] + CUT.format(limit=self.limit)
            self.cut = True
        self.left -= len(text)
        last = self.items[-1] if self.items else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"].append(text)
        else:
            self.items.append({"output_type": "stream", "name": name, "text": [text]})

    def data(self, output_type: str, data: dict[str, Any], metadata: dict[str, Any]) -> None:
        """Note a display or a result."""
        data = {kind: _as_text(value) for kind, value in data.items()}
        size = sum(len(value) for value in data.values() if isinstance(value, str))
        if self.cut or size > self.left:
            self.text("stdout", " " * (self.left + 1))
            return
        self.left -= size
        self.items.append({"output_type": output_type, "data": data, "metadata": metadata})

    def taken(self) -> list[dict[str, Any]]:
        """Return the outputs, with streams joined."""
        for item in self.items:
            if item["output_type"] == "stream":
                item["text"] = "".join(item["text"])
        return self.items


def _as_text(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


class Stream(io.TextIOBase):
    """A text stream that goes to the outputs."""

    def __init__(self, name: str, outputs: Outputs) -> None:
        self.stream_name = name
        self.outputs = outputs

    def write(self, text: str) -> int:
        """Note the text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.outputs.text(self.stream_name, str(text))
        return len(text)

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def isatty(self) -> bool:
        """Say that it is no terminal."""
        return False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Name the encoding that programs ask for."""
        return "utf-8"


class _Publisher(DisplayPublisher):
    outputs: Outputs

    def publish(self, data: Any, metadata: Any = None, *_: Any, **__: Any) -> None:
        self.outputs.data("display_data", dict(data), dict(metadata or {}))

    def clear_output(self, wait: bool = False) -> None:
        self.outputs.items.clear()


class _ResultHook(DisplayHook):
    outputs: Outputs

    def start_displayhook(self) -> None:
        """Print no prompt."""

    def write_output_prompt(self) -> None:
        """Print no prompt."""

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        self.outputs.data("execute_result", dict(format_dict), dict(md_dict or {}))

    def finish_displayhook(self) -> None:
        """Print no line."""


class _NamedCompiler(CachingCompiler):
    """Calls the code of a cell after the cell, so that a traceback can be read back."""

    cell = "<cell>"

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return self.cell


class Shell(InteractiveShell):
    """IPython without terminal, history file, pager or colours.

    Make it once, before forking: `Shell.make()`.
    """

    compiler_class = Type(_NamedCompiler)
    display_pub_class = Type(_Publisher)
    displayhook_class = Type(_ResultHook)
    outputs: Outputs

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        """Say nothing: the error is taken from the result."""

    def showtraceback(self, *_: Any, **__: Any) -> None:
        """Say nothing: the error is taken from the result."""

    showsyntaxerror = showindentationerror = showtraceback

    @contextlib.contextmanager
    def _tee(self, channel: str) -> Iterator[None]:
        """Keep no second copy of all that is printed: newer IPython would, without end."""
        yield

    @classmethod
    def make(cls) -> Shell:
        """Return a shell that is warm: pictures can be drawn at once."""
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        config.InteractiveShell.xmode = "Plain"
        config.InlineBackend.close_figures = True
        os.environ["MPLBACKEND"] = INLINE
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shell = cls.instance(config=config)
        warnings.filterwarnings("ignore", "To exit: use")
        shell.outputs = Outputs()
        for place in (shell.display_pub, shell.displayhook):
            vars(place)["outputs"] = shell.outputs
        shell.warm()
        return shell

    def warm(self) -> None:
        """Do once what is slow the first time."""
        from matplotlib import pyplot as plt
        from matplotlib_inline.backend_inline import configure_inline_support
        from PIL import Image

        Image.preinit()  # what writes PNG
        configure_inline_support(self, INLINE)
        plt.figure().text(0, 0, "a $x^2$")
        plt.plot([0, 1])
        # A cell of every kind that IPython itself treats in a way of its own.
        for source in ("%matplotlib inline", "1 + 1", "import asyncio\nawait asyncio.sleep(0)"):
            self.run("<warm>", source, 2**20)
        for source in ("1 / 0", "%time 1", "def"):
            self.run("<warm>", source, 2**20)
        plt.close("all")
        _drop_open_files()
        untyped: Any = self
        untyped.reset(new_session=True)
        self.execution_count = 1

    def run(
        self, cell: str, source: str, limit: int, *, pictures: bool = True
    ) -> BaseException | None:
        """Run the code of a cell; its outputs are in `outputs`. Return what it raised.

        cell: a name for tracebacks; limit: bytes of output that are kept; pictures: whether figures
        are drawn.
        """
        self.outputs.start(limit)
        vars(self.compile)["cell"] = f"<{cell.strip('<>')}>"
        untyped: Any = self
        untyped.display_formatter.formatters["image/png"].enabled = pictures
        with self.writing():
            try:
                result = untyped.run_cell(source, store_history=True)
            except BaseException as error:  # a hook of the cell's own
                return error
        return result.error_before_exec or result.error_in_exec  # type: ignore[no-any-return]

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Send the streams to the outputs."""
        before = sys.stdout, sys.stderr, sys.stdin
        sys.stdout = Stream("stdout", self.outputs)
        sys.stderr = Stream("stderr", self.outputs)
        sys.stdin = io.StringIO()
        try:
            yield
        finally:
            sys.stdout, sys.stderr, sys.stdin = before

    def enable_gui(self, gui: Any = None) -> None:
        """Open no window: `%matplotlib inline` asks for the event loop of none."""

    def enable_matplotlib(self, gui: Any = None) -> Any:
        """Leave inline what is inline: setting it up again takes 4 ms, in nearly every notebook."""
        import matplotlib as mpl

        if gui == "inline" and mpl.rcParams["backend"] in (INLINE, "inline"):
            return gui, INLINE
        untyped: Any = super()
        return untyped.enable_matplotlib(gui)

    def raw_input(self, *_: Any) -> str:
        """Refuse to ask."""
        raise EOFError(NO_INPUT)


def _drop_open_files() -> None:
    """Drop what holds open files: a child that closes them would find them broken."""
    from IPython.core import async_helpers
    from matplotlib import font_manager, mathtext

    async_helpers.get_asyncio_loop().close()
    fonts, formulas = vars(font_manager)["_get_font"], vars(mathtext.MathTextParser)
    fonts.cache_clear()
    formulas["_parse_cached"].cache_clear()


def refuse_input(prompt: object = "", /) -> str:
    """Stand in for `input`."""
    raise EOFError(NO_INPUT)


def cell_lines(error: BaseException, is_cell: Callable[[str], bool]) -> list[tuple[str, int]]:
    """Return where an exception passed through cells: (cell, line number), outermost first.

    A syntax error counts where it stands.
    """
    found = [
        (frame.f_code.co_filename.strip("<>"), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if is_cell(frame.f_code.co_filename)
    ]
    if isinstance(error, SyntaxError) and is_cell(str(error.filename)):
        found.append((str(error.filename).strip("<>"), int(error.lineno or 1)))
    return found[:20] + found[20:][-20:]
