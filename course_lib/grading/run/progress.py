"""How far the run is: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any, TextIO

from course_lib.grading.printable import printable

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BEFORE_RATE = 2.0


@dataclass
class Counts:
    """What has become of the notebooks so far.

    graded: recorded in this run; skipped: unchanged since an earlier one; needs_look: of all
    these, those a person must look at; refused: could not be read or found, and got 0; failed:
    not graded at all, to be tried again; waiting: run without hidden tests, and not yet with them.
    """

    graded: int = 0
    skipped: int = 0
    needs_look: int = 0
    refused: int = 0
    failed: int = 0
    waiting: int = 0

    @property
    def done(self) -> int:
        """How many notebooks are dealt with."""
        return self.graded + self.skipped + self.failed

    def __str__(self) -> str:
        text = (
            f"{self.graded} graded, {self.skipped} skipped, {self.needs_look} need a look, "
            f"{self.refused} refused"
        )
        text += f", {self.failed} failed" if self.failed else ""
        return text + (f", {self.waiting} half done" if self.waiting else "")


class Progress:
    """Shows the counts; to be used in a `with` statement."""

    def __init__(self, total: int, counts: Counts, stream: TextIO | None = None) -> None:
        self._total, self._counts = total, counts
        self._stream = sys.stderr if stream is None else stream
        self._start = self._last = time.monotonic()
        self._told = 0
        self._bar: Any = None
        if self._stream.isatty():
            from tqdm import tqdm

            self._bar = tqdm(
                total=total, file=self._stream, unit="nb", dynamic_ncols=True, smoothing=0.1,
                bar_format="{percentage:3.0f}% |{bar}| {n_fmt}/{total_fmt} "
                "[{elapsed}, {remaining} left, {rate_fmt}{postfix}]",
            )  # fmt: skip

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._refresh()
            self._bar.close()
        elif self._counts.done != self._told:
            self._line()

    def show(self) -> None:
        """Bring what is shown up to date."""
        if self._bar is not None:
            self._refresh()
        elif time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._line()

    def say(self, text: str) -> None:
        """Print a line without disturbing the bar; it may name students and quote them."""
        text = printable(text).replace("\n", " ")  # which a name can hold, and imitate a line
        if self._bar is not None:
            self._bar.write(text, file=self._stream)
        else:
            print(text, file=self._stream, flush=True)

    def _refresh(self) -> None:
        self._bar.set_postfix_str(str(self._counts), refresh=False)
        self._bar.update(self._counts.done - self._bar.n)

    def _line(self) -> None:
        self._last = time.monotonic()
        done = self._told = self._counts.done
        seconds = max(self._last - self._start, 1e-9)
        # What is skipped takes no time, and the first notebook waits for its judge to start.
        worked = self._counts.graded + self._counts.failed + self._counts.waiting / 2
        pace = ""
        if worked and seconds >= SECONDS_BEFORE_RATE:
            pace = f", {worked / seconds * 60:.0f} a minute"
            if done < self._total:
                left = self._total - done - self._counts.waiting / 2
                pace += f", {clock(left * seconds / worked)} left"
        print(
            f"{done} of {self._total} notebooks{pace}: {self._counts}",
            file=self._stream,
            flush=True,
        )


def clock(seconds: float) -> str:
    """Return a time as 7 s, 3:05 or 1:03:05."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
