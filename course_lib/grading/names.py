"""Names in the code of cells: what it binds, what it reads, what it imports."""

from __future__ import annotations

import ast
import symtable
from functools import lru_cache
from typing import Any


def parse(source: str) -> ast.Module:
    """Parse the code of a cell as IPython reads it: magics and all.

    Raises:
        SyntaxError: it is no Python even then.
    """
    try:
        return ast.parse(source)
    except SyntaxError:
        from IPython.core.inputtransformer2 import TransformerManager

        manager: Any = TransformerManager
        return ast.parse(str(manager().transform_cell(source)))


@lru_cache(maxsize=1024)
def bound_names(source: str) -> tuple[str, ...]:
    """Return the names that code binds at the top level, in order; () if it cannot be parsed."""
    try:
        module = parse(source)
    except SyntaxError:
        return ()
    found: dict[str, None] = {}
    for statement in module.body:
        for name in _bindings(statement):
            found[name] = None
    return tuple(found)


def _bindings(node: ast.AST) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Store) else []
    if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return []
    return [name for child in ast.iter_child_nodes(node) for name in _bindings(child)]


@lru_cache(maxsize=1024)
def used_names(source: str) -> frozenset[str]:
    """Return all names that code reads anywhere; () if it cannot be parsed."""
    try:
        module = parse(source)
    except SyntaxError:
        return frozenset()
    return frozenset(
        node.id
        for node in ast.walk(module)
        if isinstance(node, ast.Name) and node.id.isidentifier()
    )


@lru_cache(maxsize=1024)
def names_read_by_functions(source: str) -> frozenset[str]:
    """Return the global names that functions in code read; () if it cannot be parsed."""
    try:
        table = symtable.symtable(ast.unparse(parse(source)), "<cell>", "exec")
    except SyntaxError:
        return frozenset()
    found: set[str] = set()
    waiting = [*table.get_children()]
    while waiting:
        scope = waiting.pop()
        waiting += scope.get_children()
        if scope.get_type() == "function":
            found |= {s.get_name() for s in scope.get_symbols() if s.is_global()}
    return frozenset(found)


@lru_cache(maxsize=1024)
def import_lines(source: str) -> str:
    """Return the top-level import statements of code."""
    try:
        body = parse(source).body
    except SyntaxError:
        return ""
    return "\n".join(ast.unparse(s) for s in body if isinstance(s, ast.Import | ast.ImportFrom))


def bound_by_import(source: str) -> tuple[str, ...]:
    """Return the names that top-level imports bind."""
    return bound_names(import_lines(source))
