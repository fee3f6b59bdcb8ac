"""The judge's settings as nbgrader reads them: `c.Judge.cpu_seconds = 10` in nbgrader_config.py."""

from __future__ import annotations

from typing import Any

from traitlets import Bool, Dict, Float, Integer, List, Unicode
from traitlets.config import LoggingConfigurable

from course_lib.grading.settings import MEBIBYTE, Limits, Settings

_DEFAULTS, _LIMITS = Settings(), Limits()


class Judge(LoggingConfigurable):
    """How submissions are judged; each trait is a line `c.Judge.NAME = VALUE`."""

    packages: Any = List(
        Unicode(),
        list(_DEFAULTS.packages),
        help="What answers may import besides the standard library.",
    ).tag(config=True)
    instruments: Any = List(
        Unicode(),
        list(_DEFAULTS.instruments),
        help="Python files whose functions may wrap a call on the student's side.",
    ).tag(config=True)
    environment: Any = Dict(
        key_trait=Unicode(),
        value_trait=Unicode(),
        help="Variables for the instructor's cells; answers see none of them.",
    ).tag(config=True)
    cpu_seconds: Any = Float(
        _LIMITS.cpu_seconds, min=0.1, help="Computing time of one exercise, in seconds."
    ).tag(config=True)
    wall_seconds: Any = Float(
        _LIMITS.wall_seconds, min=0.1, help="Time by the clock of one exercise, in seconds."
    ).tag(config=True)
    memory_mib: Any = Integer(
        _LIMITS.memory // MEBIBYTE,
        min=16,
        help="Memory of one exercise on top of Python's own, in MiB.",
    ).tag(config=True)
    output_kib: Any = Integer(
        _LIMITS.output // 1024,
        min=1,
        help="Text and pictures that one cell may show, in KiB.",
    ).tag(config=True)
    result_mib: Any = Integer(
        _LIMITS.result // MEBIBYTE,
        min=1,
        help="Size of one value that an answer may return, in MiB.",
    ).tag(config=True)
    notebook_seconds: Any = Float(
        _LIMITS.judge_seconds,
        min=1,
        help="Time by the clock of one whole notebook, in seconds.",
    ).tag(config=True)
    student_seconds: Any = Float(
        _LIMITS.student_seconds,
        min=1,
        help="Time by the clock of all notebooks of one student in one run, in seconds.",
    ).tag(config=True)
    run_seconds: Any = Float(
        28_800,
        min=1,
        help="Time by the clock after which a run begins no more notebooks, in seconds.",
    ).tag(config=True)
    unsafe: Any = Bool(
        default_value=_DEFAULTS.unsafe,
        help="Judge without a wall where none can be had.",
    ).tag(config=True)
    jobs: Any = Integer(
        0, min=0, help="How many notebooks at a time; 0 stands for the number of cores."
    ).tag(config=True)
    scheduler: Any = Unicode(
        "", help="A Dask scheduler to grade on, such as tcp://host:8786; empty for this machine."
    ).tag(config=True)
    depends_on: Any = List(
        Unicode(),
        help="Files and folders, seen from the course's folder, that the tests use: "
        "when one changes, everything is graded again.",
    ).tag(config=True)

    def settings(self, **environment: str) -> Settings:
        """Return the settings of a job; `environment` adds to what is configured."""
        limits = Limits(
            cpu_seconds=self.cpu_seconds,
            wall_seconds=self.wall_seconds,
            memory=self.memory_mib * MEBIBYTE,
            output=self.output_kib * 1024,
            result=self.result_mib * MEBIBYTE,
            judge_seconds=self.notebook_seconds,
            student_seconds=self.student_seconds,
        )
        return Settings(
            packages=tuple(self.packages),
            instruments=tuple(self.instruments),
            environment=environment | dict(self.environment),
            limits=limits,
            unsafe=self.unsafe,
        )
