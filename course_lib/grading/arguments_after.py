"""Whether a test looks at what it gave to an answer, after the call: was it sorted, left as it was?

Calls are by value, so such a test sees its own objects, untouched, unless it is told to run in
place. A test that only computes its expectation from the arguments does not count: there the
untouched objects are the better ones.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from course_lib.grading.names import parse

UNCHANGEABLE = ("shape", "dtype", "ndim", "size")  # of an array, whatever a call does to it


def looks_at_arguments(source: str, answers: Set[str]) -> bool:
    """Say whether code asserts something about an argument of an earlier call, and that alone.

    answers: the names of the functions that students write.
    """
    try:
        module = parse(source)
    except SyntaxError:
        return False
    given = {name for call in _calls(module, answers) for name in _arguments(call)}
    results = _results(module, answers)
    again: set[str] = set()
    mixed: set[str] = set()
    for check in _checks(module):
        names = given & set(_names_used(check, answers))
        if any(True for _ in _calls(check, answers)) or results & set(_names(check)):
            mixed |= names
        else:
            again |= names
    return bool(again - mixed)


def _calls(tree: ast.AST, answers: Set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if _called(node) in answers:
            assert isinstance(node, ast.Call)
            yield node


def _called(node: ast.AST) -> str:
    """Return the name of the function that is called here, "" if this is no such call."""
    function = node.func if isinstance(node, ast.Call) else None
    return function.id if isinstance(function, ast.Name) else ""


def _arguments(call: ast.Call) -> Iterator[str]:
    for value in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(value, ast.Name):
            yield value.id


def _results(module: ast.Module, answers: Set[str]) -> set[str]:
    """Return the names that stand for what a call returned, or for something made of that."""
    found: set[str] = set()
    for node in ast.walk(module):
        if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            continue
        value = node.value
        if value is None:
            continue
        if any(True for _ in _calls(value, answers)) or found & set(_names(value)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {name for target in targets for name in _names(target)}
    return found


def _checks(module: ast.Module) -> Iterator[ast.AST]:
    """Yield what is asserted: `assert …`, `assert_equal(…)`, `self.assertEqual(…)`."""
    for node in ast.walk(module):
        if isinstance(node, ast.Assert):
            yield node.test
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name.lower().startswith("assert"):
                yield node.value


def _names(tree: ast.AST) -> Iterator[str]:
    return (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _names_used(tree: ast.AST, answers: Set[str]) -> Iterator[str]:
    """Yield the names whose value counts: not an array's shape, not what is only handed over."""
    if isinstance(tree, ast.Attribute) and tree.attr in UNCHANGEABLE:
        return
    if _called(tree) in answers:
        return
    if isinstance(tree, ast.Name):
        yield tree.id
    for child in ast.iter_child_nodes(tree):
        yield from _names_used(child, answers)
