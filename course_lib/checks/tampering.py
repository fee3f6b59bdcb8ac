"""Means by which code can hide how it behaves from whoever counts its lines in the same process.

Points for conduct (no loop, inputs unchanged) rest on what is seen in the student's own process.
A judge believes that only of code without such means. This is a precaution and no proof: it knows
the ways that lead to the interpreter's inside, by name. Values are never judged by it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What answers import in good faith. Other parts of Python itself may hold such means.
ORDINARY = _words("""
    __future__ abc array bisect cmath collections contextlib copy csv dataclasses datetime decimal
    enum fractions functools hashlib heapq itertools json logging math matplotlib numbers numpy
    operator os pathlib pprint random re scipy statistics string struct sys tempfile textwrap time
    torch types typing unicodedata warnings IPython.display
""")
# What comes with Jupyter and reaches into the interpreter. No other package can be imported where
# answers are judged, unless the course allows it.
REACHING = _words("""
    IPython traitlets stack_data executing asttokens pure_eval jedi parso psutil prompt_toolkit
    pexpect ptyprocess pygments observe
""")
OF_THE_INTERPRETER = _words("""
    settrace gettrace setprofile getprofile monitoring modules meta_path path_hooks addaudithook
    call_tracing exc_info last_traceback tb_frame tb_next f_back f_globals f_locals f_builtins
    f_trace f_trace_lines gi_frame cr_frame ag_frame gi_code _getframe _current_frames
""")
OF_OBJECTS = _words("""
    __globals__ __dict__ __code__ __closure__ __subclasses__ __mro__ __bases__ __base__ __builtins__
    __getattribute__ __self__ __func__ __wrapped__ __loader__ __spec__ __reduce__ __reduce_ex__
    __traceback__ __import__ FunctionType CodeType
""")
BY_TEXT = _words("""
    attrgetter methodcaller Formatter get_field vformat get_type_hints ForwardRef resolve_name
    allow_pickle import_module
""")
MODULES = _words("builtins ctypes ctypeslib f2py gc importlib inspect sys _sys threading")
INSIDE = OF_THE_INTERPRETER | OF_OBJECTS | BY_TEXT | MODULES
LIBRARIES = _words("np numpy copy dataclasses functools math os random warnings sys")
OBSERVING = _words("""
    array_equal empty_like may_share_memory shares_memory get_state deepcopy asdict errstate
    catch_warnings nullcontext simplefilter apply_along_axis vectorize
""")  # what the observer itself calls
FREE = _words("exec eval compile globals locals vars breakpoint get_ipython")
# Reach attributes by names that they are given. They are fine where they are called by their own
# name and with names that can be read, not where they are handed on: `find = getattr`.
BY_GIVEN_NAME = _words("getattr setattr delattr wraps update_wrapper")
HARMLESS_MAGICS = _words("""
    matplotlib precision load_ext reload_ext autoreload config pwd who whos pip conda pinfo pinfo2
    psearch system getoutput
""")
DEEPEST = 2  # magics within magics; nobody times the timing
TIMED = re.compile(r"^(?:-\w+\s*\d*\s+)*")  # the options of %timeit


def means_of_tampering(cells: Iterable[str]) -> str:
    """Return the first thing in a student's cells that could hide how they behave; "" if none."""
    return next((found for source in cells for found in _in_cell(source)), "")


def _in_cell(source: str, depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        yield "%timeit"
        return
    tree = _parsed(source)
    waiting: list[ast.AST] = [tree] if tree else []
    while waiting:
        node = waiting.pop()
        magic = _magic(node)
        if magic is None:
            yield from _in_node(node)
            waiting += _below(node)
        elif magic[0] in ("time", "timeit"):
            for text in magic[1:]:
                yield from _in_cell(TIMED.sub("", text), depth + 1)
        elif magic[0] not in HARMLESS_MAGICS:
            yield f"%{magic[0]}"


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is inside a node, but for the name of a function that `_in_call` has looked at."""
    looked_at = node.func if isinstance(node, ast.Call) and _called(node) in BY_GIVEN_NAME else None
    for inner in ast.iter_child_nodes(node):
        yield from ast.iter_child_nodes(inner) if inner is looked_at else [inner]


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _parsed(source: str) -> ast.Module | None:
    """Parse a cell as Python, or else as IPython reads it; None if it can run in neither."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    try:
        from IPython.core.inputtransformer2 import TransformerManager

        manager: Any = TransformerManager
        return ast.parse(str(manager().transform_cell(source)))
    except (ImportError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _magic(node: ast.AST) -> tuple[str, ...] | None:
    """Return a magic's name and texts, if that is what IPython made this call of."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    shell = node.func.value
    called = isinstance(shell, ast.Call) and isinstance(shell.func, ast.Name)
    if not called or node.keywords or ast.unparse(shell) != "get_ipython()":
        return None
    texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if not texts or len(texts) != len(node.args):
        return None
    if node.func.attr in ("system", "getoutput"):
        return node.func.attr, *texts  # another program: it cannot be started
    return tuple(texts) if node.func.attr in ("run_line_magic", "run_cell_magic") else None


def _in_node(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (f"import {a.name}" for a in node.names if not _ordinary(a.name))
    elif isinstance(node, ast.ImportFrom):
        yield from _in_import_from(node)
    elif isinstance(node, ast.Name):
        inside = node.id in (INSIDE - {"sys"}) | FREE | BY_GIVEN_NAME
        yield from [node.id] if inside and isinstance(node.ctx, ast.Load) else []
    elif isinstance(node, ast.Call):
        yield from _in_call(node)
    else:
        yield from (f".{name}" for name in _attributes(node) if name in INSIDE | BY_GIVEN_NAME)
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield from [f"{ast.unparse(node)} ="] if _replaced(node.value, node.attr) else []


def _in_import_from(node: ast.ImportFrom) -> Iterator[str]:
    module = node.module or ""
    if not _ordinary(module):
        yield f"import {module}"
    for alias in node.names:
        renamed = alias.name in BY_GIVEN_NAME and alias.asname
        if (
            alias.name in INSIDE
            or renamed
            or (alias.name == "*" and module in ("sys", "os", "operator"))
        ):
            yield f"{module}.{alias.name}"


def _attributes(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.MatchClass):
        return node.kwd_attrs
    return [node.arg] if isinstance(node, ast.keyword) and node.arg else []


def _in_call(node: ast.Call) -> Iterator[str]:
    """Find attributes whose names are put together while the code runs."""
    called = _called(node)
    if called in ("wraps", "update_wrapper"):
        usual = 1 if called == "wraps" else 2
        yield from [called] if len(node.args) + len(node.keywords) > usual else []
    elif called in BY_GIVEN_NAME:
        name = node.args[1] if len(node.args) > 1 else None
        known = str(name.value) if isinstance(name, ast.Constant) else ""
        sets = called != "getattr"
        if not known or known in INSIDE or (sets and _replaced(node.args[0], known)):
            yield called


def _replaced(owner: ast.expr, name: str) -> bool:
    """Say whether assigning to this attribute replaces a function of a library."""
    return name in OBSERVING or (isinstance(owner, ast.Name) and owner.id in LIBRARIES)


def _ordinary(module: str) -> bool:
    parts = module.split(".")
    if parts[0] not in sys.stdlib_module_names | REACHING:
        return True
    return any(".".join(parts[:n]) in ORDINARY for n in range(1, len(parts) + 1))
