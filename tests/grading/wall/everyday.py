"""A fork server in small: what honest students do, in one confined child a thing.

Run by test_everyday.py as a program of its own, the way the judge's server is. Arguments: the
folder above the wall's package, the packages' folder, a data file. Prints {what: "" or an error}.
"""

# ruff: noqa: E402, I001, F401 - the paths are set before the imports, which are the test
# ruff: noqa: ICN001, NPY002, PTH103, PTH109, PTH110, PTH118, PTH123, PTH202, PTH208, SIM115
# ruff: noqa: PLW1510, PT017 - students write so
import json
import os
import sys
import traceback

WALL, PACKAGES, DATA = sys.argv[1:4]
sys.path[:0] = [WALL]
sys.path.append(PACKAGES)

import matplotlib
import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from matplotlib import pyplot as plt

import wall

THINGS = {}


def thing(function):
    THINGS[function.__name__] = function
    return function


@thing
def arrays_and_their_lazy_parts():
    rng = np.random.default_rng(14)
    a = rng.standard_normal((200, 200))
    assert np.allclose(np.linalg.inv(a) @ a, np.eye(200), atol=1e-6)
    assert np.allclose(np.fft.ifft(np.fft.fft(a)).real, a)
    assert np.polynomial.Polynomial([1, 2])(3) == 7
    assert np.ma.masked_invalid([1.0, np.nan]).sum() == 1
    assert np.strings.upper("a") == "A"
    np.testing.assert_allclose(np.einsum("ij,jk->ik", a, a), a @ a)
    assert float(np.loadtxt(["1 2"]).sum()) == 3
    np.random.seed(0)
    np.random.rand(3)
    for name in np.__all__:
        getattr(np, name)
    import numpy.ctypeslib
    import numpy.lib.scimath
    import numpy.lib.stride_tricks
    import numpy.rec


@thing
def figures():
    import io

    figure, axes = plt.subplots(2, 2, subplot_kw={})
    axes[0, 0].plot([1, 2, 3], label=r"$\sigma(x) = \frac{1}{1+e^{-x}}$ ×")
    axes[0, 0].legend()
    axes[0, 1].imshow(np.eye(3))
    axes[1, 0].hist([1, 2, 2])
    axes[1, 1].scatter([1], [2])
    figure.tight_layout()
    file = io.BytesIO()
    figure.savefig(file, format="png")
    assert file.getvalue().startswith(b"\x89PNG")
    figure.savefig(io.StringIO(), format="svg")
    plt.close(figure)
    ax = plt.figure().add_subplot(projection="3d")
    ax.plot([1, 2], [1, 2], [1, 2])
    plt.savefig(io.BytesIO())


@thing
def cells():
    InteractiveShell.instance().history_manager.enabled = False
    shell = InteractiveShell.instance()
    source = """
import asyncio
%precision 3
await asyncio.sleep(0.001)
timed = %timeit -o -n1 -r1 sum(range(10))
from IPython.display import display, HTML
display(HTML("<b>x</b>"))
x = 41 + 1
x
"""
    result = shell.run_cell(source)
    result.raise_error()
    assert result.result == 42
    assert shell.run_cell("%%capture out\nprint(1)").success
    assert not shell.run_cell("1/0").success
    assert not shell.run_cell("def f(:").success


@thing
def event_loops():
    import asyncio

    async def main():
        await asyncio.gather(*(asyncio.sleep(0.001) for _ in range(3)))
        async with asyncio.timeout(60):
            return 7

    assert asyncio.run(main()) == 7


@thing
def clocks():
    import datetime
    import time

    time.sleep(0.001)
    assert time.strftime("%Y", time.localtime(0)) == "1970"
    assert datetime.datetime.now().astimezone().year > 2000
    if os.path.exists("/usr/share/zoneinfo/Asia/Tokyo"):
        from zoneinfo import ZoneInfo

        assert ZoneInfo("Asia/Tokyo")
    time.perf_counter(), time.process_time(), time.thread_time(), time.get_clock_info("time")


@thing
def alarms():
    import signal

    def ring(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        while True:
            pass
    except TimeoutError:
        pass


@thing
def modules_from_disk():
    import importlib

    before = len(sys.modules)
    names = """argparse array bisect bz2 calendar cmath concurrent.futures configparser cProfile csv
        ctypes curses dbm decimal difflib doctest email.message fractions ftplib getpass graphlib
        gzip heapq html.parser http.client imaplib lzma mailbox multiprocessing.pool optparse pdb
        pickle plistlib pprint pstats queue random secrets selectors shelve smtplib socketserver
        sqlite3 ssl statistics string.templatelib tarfile telnetlib test.support timeit
        tkinter tomllib trace tracemalloc turtle unittest.mock urllib.request uuid wave
        xml.etree.ElementTree zipfile zoneinfo"""
    optional = {"string.templatelib", "telnetlib", "tkinter", "turtle", "dbm", "curses", "sqlite3"}
    for name in names.split():
        try:
            importlib.import_module(name)
        except ImportError:
            if name not in optional:
                raise
    assert len(sys.modules) > before + 50


@thing
def data_file():
    assert open(DATA).read() == "1 2 3\n"
    assert np.loadtxt(DATA).tolist() == [1, 2, 3]
    assert len(np.memmap(DATA, mode="r")) == 6
    assert os.path.getsize(DATA) == 6


@thing
def other_packages_are_seen_and_not_read():
    assert "pytest" in os.listdir(PACKAGES)
    try:
        import pytest
    except (PermissionError, ImportError):
        return
    raise AssertionError(pytest)


@thing
def plain_errors():
    import shutil
    import subprocess
    import tempfile
    import threading

    expected = {
        "temporary file": (tempfile.TemporaryFile, OSError),
        "temporary folder": (tempfile.mkdtemp, OSError),
        "file": (lambda: open("out.txt", "w"), OSError),
        "folder": (lambda: os.makedirs("/tmp/a/b"), OSError),
        "remove": (lambda: shutil.rmtree(PACKAGES), OSError),
        "command": (lambda: subprocess.run(["ls"]), OSError),
        "thread": (threading.Thread(target=print).start, RuntimeError),
        "memory": (lambda: bytearray(2**40), MemoryError),
        "array": (lambda: np.ones(2**40), MemoryError),
        "recursion": (recurse, RecursionError),
    }
    for name, (action, error) in expected.items():
        try:
            action()
        except error as caught:
            assert str(caught) or isinstance(caught, MemoryError), name
        else:
            raise AssertionError(name)


def recurse():
    return recurse()


@thing
def small_things():
    import copy
    import faulthandler
    import gc
    import getpass
    import locale
    import logging
    import pickle
    import platform
    import random
    import tracemalloc
    import uuid
    import warnings

    random.seed()
    uuid.uuid4()
    os.urandom(8)
    gc.collect()
    platform.platform()
    locale.setlocale(locale.LC_ALL, "")
    pickle.loads(pickle.dumps(copy.deepcopy({1: [2]})))
    warnings.warn("careful", stacklevel=1)
    logging.getLogger().warning("careful")
    tracemalloc.start()
    faulthandler.enable()
    assert os.cpu_count()
    os.getcwd()
    sys.stdout.isatty()
    print("x", file=open(os.devnull, "w"))
    traceback.format_stack()
    os.path.exists("/etc/passwd")
    os.get_terminal_size  # noqa: B018
    assert getpass


def confined(function, policy):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            wall.confine(policy, keep=(writer,))
            try:
                function()
                answer = ""
            except BaseException:
                answer = traceback.format_exc()
            os.write(writer, answer.encode()[-60_000:])
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read().decode()
    status = os.waitpid(child, 0)[1]
    return answer if status == 0 else f"ended with status {status}"


if __name__ == "__main__":
    matplotlib.use("agg")
    plt.figure()
    InteractiveShell.instance()
    sys.stdout.flush()
    allowed = [
        os.path.join(PACKAGES, name)
        for name in os.listdir(PACKAGES)
        if not name.startswith(("pytest", "_pytest", "torch"))
    ]
    readable = (*wall.interpreter_files(), *allowed, DATA)
    policy = wall.Policy(readable, (PACKAGES,), 2**29, 20.0, drop_to=wall.choose_uid(readable))
    wall.prepare(policy)
    stdout = os.dup(1)
    os.dup2(2, 1)
    answers = {name: confined(function, policy) for name, function in THINGS.items()}
    answers["uid"] = policy.drop_to
    os.write(stdout, json.dumps(answers).encode())
