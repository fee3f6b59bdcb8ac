"""What machine a result comes from, without its name."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

# Settings that choose BLAS kernels by hand: the contenders get the ones made for the machine.
KERNEL_SETTINGS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def contender_environment(threads: int) -> dict[str, str]:
    """Return the environment of a contender: no chosen kernels, `threads` threads."""
    environment = {k: v for k, v in os.environ.items() if k not in KERNEL_SETTINGS}
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    return {**environment, **dict.fromkeys(names, str(threads))}


def describe_machine() -> dict[str, Any]:
    """Return processor, cores, system and versions."""
    return {
        "processor": _processor(),
        "instructions": _vector_instructions(),
        "cores": cores(),
        "memory_gb": _memory_gb(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in ("numpy", "torch", "onnxruntime")},
        "busy_before": _load(),
    }


def _cpuinfo(field: str) -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(field)), None)


def _processor() -> str:
    return _cpuinfo("model name") or platform.processor() or "unknown"


def _vector_instructions() -> str:
    flags = (_cpuinfo("flags") or "").split()
    return next((name for name in ("avx512f", "avx2", "avx") if name in flags), "unknown")


def _memory_gb() -> int | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    except (AttributeError, ValueError):
        return None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _load() -> float | None:
    """Return how many programs wanted a core in the last minute; well below 1 is quiet."""
    try:
        return round(os.getloadavg()[0], 2)
    except (AttributeError, OSError):
        return None
