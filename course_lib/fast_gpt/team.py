"""Python threads that share one forward pass, each with a BLAS that uses one thread.

BLAS can only split a single product, and all cores wait while one of them computes a softmax.
Here every thread runs the same lines on its own rows or columns and heads, so that this work is
shared too. NumPy lets go of the interpreter lock inside its loops and products. Where there is
too little work to meet over, a team of one leaves the products to the threads of BLAS.

The number of BLAS threads is a setting of the whole process. It is lowered while a pass runs
and restored after it, whatever happens; `threadpoolctl` does that for every BLAS that NumPy
comes with. Where that package is missing, or does not know the BLAS, the pass runs in one Python
thread and leaves BLAS its own threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any


class Member:
    """One thread of a team: its share of the work, and where it waits for the others."""

    def __init__(self, rank: int, size: int, barrier: threading.Barrier | None) -> None:
        self.rank, self.size, self.barrier = rank, size, barrier

    def share(self, n: int) -> slice:
        """Return this member's part of n columns, rows or heads."""
        return slice(n * self.rank // self.size, n * (self.rank + 1) // self.size)

    def meet(self) -> None:
        """Wait until every member has come here: what they wrote can now be read."""
        if self.barrier is not None:
            self.barrier.wait()


def run_team(size: int, work: Callable[[Member], None], blas: int = 1) -> None:
    """Call `work` once for each of `size` members at the same time, and wait for all.

    A team of one may use up to `blas` threads of BLAS, each member of a larger one a single one.
    Starting the threads anew costs 0.1 ms a pass, and none is left behind in a forked process.
    """
    if size == 1:
        with at_most_blas_threads(blas):
            work(Member(0, 1, None))
        return
    barrier = threading.Barrier(size)
    errors: list[BaseException] = []

    def guarded(rank: int) -> None:
        try:
            work(Member(rank, size, barrier))
        except threading.BrokenBarrierError:
            pass  # another member's error is on the list
        except BaseException as error:
            errors.append(error)
            barrier.abort()  # else the others would wait for ever

    with at_most_blas_threads(1), ThreadPoolExecutor(size - 1) as pool:
        for rank in range(1, size):
            pool.submit(guarded, rank)
        guarded(0)
    if errors:
        raise errors[0]


@cache
def blas_libraries() -> tuple[Any, ...]:
    """Return threadpoolctl's controllers of the BLAS libraries in this process."""
    try:
        from threadpoolctl import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
            ThreadpoolController,
        )
    except ImportError:
        return ()
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)


def blas_threads() -> int:
    """Return how many threads BLAS may use now; 1 where nothing can tell or change that."""
    return min((int(library.num_threads) for library in blas_libraries()), default=1)


_setting = threading.Lock()  # two passes at once would restore each other's setting


@contextmanager
def at_most_blas_threads(n: int) -> Iterator[None]:
    """Let BLAS use up to n threads a caller for a while, then as many as before."""
    with _setting:
        before = [(library, library.num_threads) for library in blas_libraries()]
        lowered = [(library, threads) for library, threads in before if threads > n]
        try:
            for library, _ in lowered:
                library.set_num_threads(n)
            yield
        finally:
            for library, threads in lowered:
                library.set_num_threads(threads)
