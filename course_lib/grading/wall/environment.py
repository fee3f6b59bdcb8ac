"""The environment that servers run in: the same on every machine."""

from __future__ import annotations

from .confinement import OUTER_TIER, OUTER_VARIABLE

# Before NumPy is imported: what has threads can be neither forked nor confined.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def clean_environment(*, bubblewrapped: bool) -> dict[str, str]:
    """Return all the variables of a server: none of the instructor's.

    bubblewrapped: whether it runs in namespaces of its own, with a /tmp that no one else writes.
    """
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/tmp" if bubblewrapped else "/nonexistent",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "MPLBACKEND": "agg",
        "PYTHONDONTWRITEBYTECODE": "1",  # for children without -I; with -I give -B
        **ONE_THREAD,
    }
    return {**environment, OUTER_VARIABLE: OUTER_TIER} if bubblewrapped else environment
