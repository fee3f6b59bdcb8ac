"""Ctrl-C: the first one lets a run come to an end, the second ends it."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def stopping(stop: threading.Event, say: Callable[[str], None]) -> Iterator[None]:
    """Let the first Ctrl-C (or SIGTERM) set `stop`, and the second raise KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say("Stopping: what is being graded is still recorded; press Ctrl-C again to drop it.")

    kept = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
