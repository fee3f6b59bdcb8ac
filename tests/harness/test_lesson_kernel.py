"""The kernels of lessons: reached through files, and one that does not start says why."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from lesson_guard.kernel_environment import fixed_environment
from lesson_guard.watched_kernel import KernelDied, WatchedKernel


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("kernel-*"))


@pytest.mark.skipif(os.name != "posix", reason="socket files are POSIX's")
def test_a_kernel_needs_no_port_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with fixed_environment() as environment:
        kernel = WatchedKernel(tmp_path, environment, startup_timeout=60)
        assert kernel.km.transport == "ipc"
        assert len(left_in(tmp_path)) == 1
        kernel.stop()
        del kernel
    assert not left_in(tmp_path)


def test_a_kernel_that_does_not_start_says_why(tmp_path):
    (tmp_path / "ipykernel_launcher.py").write_text("raise SystemExit('no kernel today')")
    with (
        fixed_environment() as environment,
        pytest.raises(KernelDied, match=r"before replying to kernel_info.* no kernel today"),
    ):
        WatchedKernel(tmp_path, environment | {"PYTHONPATH": str(tmp_path)}, startup_timeout=60)
