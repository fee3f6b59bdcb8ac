"""Many jobs at a time, on this machine or on others; results come as they are ready."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from concurrent.futures import ThreadPoolExecutor as Threads
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from course_lib.grading.run.fingerprint import judge_version

Key = TypeVar("Key")
Answer = TypeVar("Answer")


class PoolError(Exception):
    """The workers cannot be reached, or are not what this run needs; the text says what to do."""


class WrongVersion(Exception):
    """A worker has another version of the judge."""


def usable_cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@contextmanager
def open_pool(jobs: int = 0, scheduler: str = "") -> Iterator[tuple[Executor, int]]:
    """Give an executor and how many jobs it runs at a time.

    jobs: threads on this machine, each with judge servers of its own; 0 for one a core.
    scheduler: the address of a Dask scheduler, whose workers are used instead.

    Raises:
        PoolError: the scheduler cannot be reached, has no workers, or Dask is not installed.
    """
    if scheduler:
        with _dask_pool(scheduler) as pool:
            yield pool
        return
    count = jobs or usable_cores()
    executor = Threads(count, thread_name_prefix="judge")
    try:
        yield executor, count
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _dask_pool(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise PoolError(
            "grading on a Dask scheduler needs the package distributed: "
            'pip install -c constraints.txt -e ".[grading,cluster]"'
        ) from error
    try:
        client = distributed.Client(address, timeout=15, set_as_default=False)
    except (OSError, ValueError) as error:
        raise PoolError(
            f"no Dask scheduler answers at {address!r}: start one with `dask scheduler`, and "
            f"workers with `dask worker {address}`"
        ) from error
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise PoolError(f"the scheduler has no workers: start some, `dask worker {address}`")
        # pure=False: the same job twice is two jobs; Dask would answer the second from memory.
        yield client.get_executor(pure=False), threads
    finally:
        client.close()


def call_worker(function: Callable[[Any], Answer], job: Any, version: str) -> Answer:
    """Run a job in a worker, once it is sure that the worker has this run's version.

    Raises:
        WrongVersion: it has another one.
    """
    if judge_version() != version:
        raise WrongVersion(
            "a worker has another version of course_lib.grading than this machine: bring both to "
            "the same, and start the worker anew"
        )
    return function(job)


def in_window(
    executor: Executor,
    function: Callable[[Any], Answer],
    jobs: Iterable[tuple[Key, Any]],
    width: int,
    *,
    stopped: Callable[[], bool] = lambda: False,
    idle: Callable[[], None] = lambda: None,
    tick: float = 0.5,
    weight: Callable[[Any], int] = lambda job: 0,
    most: int = 0,
) -> Iterator[tuple[Key, Answer | BaseException]]:
    """Run jobs and yield (key, answer or exception) as they are ready, each exactly once.

    At most `width` jobs are read ahead and not yet answered, so memory does not grow with their
    number; none is read beside those whose weights are more than `most` together. Once `stopped()`
    is true no further job is begun; those running are still answered. `idle` is called at least
    every `tick` seconds.
    """
    source = iter(jobs)
    version = judge_version()
    waiting: dict[Future[Answer], tuple[Key, int]] = {}  # with their weights
    exhausted = False
    while True:
        while (
            not exhausted
            and not stopped()
            and len(waiting) < width
            and sum(heavy for _, heavy in waiting.values()) <= most
        ):
            following = next(source, None)
            if following is None:
                exhausted = True
                break
            key, job = following
            future = executor.submit(call_worker, function, job, version)
            waiting[future] = key, weight(job)
            if any(future.done() for future in waiting):
                break  # answers first: the window is filled while others compute
        if stopped():
            for future in [f for f in waiting if f.cancel()]:
                del waiting[future]
        if not waiting:
            if exhausted or stopped():
                return
            continue
        done, _ = wait(waiting, timeout=tick, return_when=FIRST_COMPLETED)
        for future in done:
            key, _ = waiting.pop(future)
            yield key, _outcome(future)
        idle()


def _outcome(future: Future[Any]) -> Any:
    """Return a job's answer, or what it raised."""
    try:
        return future.result()
    except CancelledError:
        return PoolError("the scheduler dropped the job: has it been stopped?")
    except BaseException as error:
        return error
