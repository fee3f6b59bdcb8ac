"""What a lesson's kernel finds around it: the same under nbval, in rendering and for scripts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

REPOSITORY = Path(__file__).resolve().parents[2]

# Settings of the person at the keyboard that would change an output. Variables that choose a BLAS
# kernel or a number of threads stay: the outputs must be the same under every one of them.
LEFT_OUT = (
    "PYTHON", "MPL", "MATPLOTLIB", "IPYTHON", "JUPYTER", "PYTEST_", "HF_", "TRANSFORMERS_",
    "TORCH_LOGS", "COLUMNS", "LINES", "FORCE_COLOR", "CLICOLOR", "TQDM_",
)  # fmt: skip

# Two lessons run at a time. On two busy cores a thread each took 18 s, two each 24 to 49 s.
UNLESS_SET = {"OMP_NUM_THREADS": "1"}

# History costs a database and a thread in each kernel; a short traceback has no machine path in it.
IPYTHON_CONFIG = """\
c.HistoryManager.enabled = False
c.InteractiveShell.colors = "nocolor"
c.InteractiveShell.xmode = "Minimal"
"""


@contextmanager
def fixed_environment() -> Iterator[dict[str, str]]:
    """Give the environment variables of a lesson's kernel; its folder vanishes at the end."""
    with TemporaryDirectory(prefix="lesson-kernel-") as scratch:
        profile = Path(scratch, "ipython", "profile_default")
        profile.mkdir(parents=True)
        (profile / "ipython_kernel_config.py").write_text(IPYTHON_CONFIG, encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
        fixed = {
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONHASHSEED": "0",
            "PYTHONUTF8": "1",
            "IPYTHONDIR": str(Path(scratch, "ipython")),
            # What ipykernel sets in JupyterLab: it draws with Agg and shows the figures left open.
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "MPLCONFIGDIR": str(REPOSITORY / ".cache" / "matplotlib"),
            "NO_COLOR": "1",
            "HF_HUB_OFFLINE": "1",
        }
        environment = UNLESS_SET | kept | fixed
        _build_font_cache(environment)
        yield environment


def _build_font_cache(environment: dict[str, str]) -> None:
    """Let matplotlib list the fonts now: it would say so on stderr in the first lesson's output."""
    if not any(Path(environment["MPLCONFIGDIR"]).glob("fontlist-*.json")):
        command = [sys.executable, "-c", "import matplotlib.font_manager"]
        subprocess.run(command, env=environment, capture_output=True, check=False)
