"""A lesson's kernel under nbval: of the running Python, in the fixed environment, and watched."""

from __future__ import annotations

import time
from pathlib import Path
from queue import Empty
from tempfile import TemporaryFile
from typing import Any

from nbval.kernel import RunningKernel

from lesson_guard.lesson_kernel import LessonKernel

LOOK_EVERY = 0.5  # seconds


class KernelDied(RuntimeError):
    """The kernel's process ended while a reply was awaited."""


class WatchedKernel(RunningKernel):
    """A running kernel whose death is noticed within a second, not after the cell's time limit.

    Raises KernelDied, with what the kernel said last, when it does not start.
    """

    def __init__(self, folder: Path, environment: dict[str, str], startup_timeout: float) -> None:
        with TemporaryFile() as said:
            self.km = LessonKernel()
            self.km.start_kernel(cwd=str(folder), env=environment, stderr=said)
            self.kc = self.km.client()
            self.kc.start_channels()
            try:
                self.kc.wait_for_ready(timeout=startup_timeout)
                self._ensure_iopub_up()
            except RuntimeError as error:
                self.stop()
                said.seek(0)
                last = said.read().decode(errors="replace")[-2000:]
                raise KernelDied(f"{error}. It said: {last or 'nothing'}") from error

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        """Wait for a message of `stream` (shell or iopub), looking at the process meanwhile.

        Raises `queue.Empty` after `timeout` seconds and KernelDied when the process has ended.
        """
        deadline = time.monotonic() + (float("inf") if timeout is None else timeout)
        while True:
            left = deadline - time.monotonic()
            try:
                message: dict[str, Any] = super().get_message(
                    stream, timeout=max(0.0, min(LOOK_EVERY, left))
                )
                return message
            except Empty:
                if not self.is_alive():
                    raise KernelDied(f"The kernel died ({self._exit_status()}).") from None
                if time.monotonic() >= deadline:
                    raise

    def execute_cell_input(self, cell_input: str, allow_stdin: bool | None = None) -> str:
        """Send a cell as JupyterLab does, with history: without, a last `;` would hide nothing."""
        msg_id: str = self.kc.execute(
            cell_input, store_history=True, allow_stdin=allow_stdin, stop_on_error=False
        )
        return msg_id

    def stop(self) -> None:
        """Close the channels, and end the process if it still runs."""
        if kernel := getattr(self, "km", None):
            super().stop()  # it deletes self.km
            kernel.remove_folder()

    def _exit_status(self) -> str:
        process = getattr(self.km.provisioner, "process", None)
        status = getattr(process, "returncode", None)
        return "exit status unknown" if status is None else f"exit status {status}"
