"""How a lesson's kernel is started and reached: the running Python's, through socket files."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from typing import Any

from jupyter_client.manager import AsyncKernelManager, KernelManager
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager


class LessonKernel(KernelManager):
    """Starts a kernel of the running Python, whatever kernelspecs the user has installed.

    Ports are chosen before the kernel opens them; on a busy machine another process may have
    taken one by then, and the kernel dies at its start (jupyter_client's issue 487). A folder of
    socket files is the kernel's own. Windows has none, so there ports remain.
    """

    def __init__(self, **arguments: Any) -> None:
        own: dict[str, Any] = {"kernel_spec_manager": NbvalKernelspecManager()}
        folder = tempfile.mkdtemp(prefix="kernel-")
        # To be called when the kernel has ended; called at the latest when Python ends.
        self.remove_folder = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        if os.name == "posix":
            own |= {"transport": "ipc", "ip": f"{folder}/socket"}
        super().__init__(**{"kernel_name": CURRENT_ENV_KERNEL_NAME, **arguments, **own})


class AsyncLessonKernel(LessonKernel, AsyncKernelManager):
    """The same for nbclient, which awaits its kernel manager."""
