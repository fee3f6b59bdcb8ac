"""What a fresh machine installs: pyproject.toml, constraints.txt and environment.yml agree."""

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LINES = [
    line
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
PINS = {canonicalize_name(name): version for name, version in (line.split("==") for line in LINES)}
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
CONDA_PACKAGES = [entry for entry in CONDA if isinstance(entry, str)]

PACKAGE = ROOT / "course_lib"
# Modules of Python, of this course, and those that the far side of the wall imports by bare names.
OWN = sys.stdlib_module_names | {"course_lib", ""} | {path.stem for path in PACKAGE.rglob("*")}
# Which come with what is declared, and are a part of it for whoever uses it.
PARTS = {"cycler", "ipython", "matplotlib-inline", "nbconvert", "traitlets"}
BROUGHT_AS = {"PIL": "pillow", "yaml": "pyyaml"}

BASE = {
    "extra": "",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "implementation_name": "cpython",
}
MACHINES = [
    BASE
    | {"sys_platform": system.lower(), "platform_system": system}
    | {"python_version": python, "python_full_version": f"{python}.1"}
    for system in ("Linux", "Darwin")
    for python in ("3.11", "3.12", "3.13")
]


def wanted(*groups: str) -> list[Requirement]:
    entries = [*PROJECT["dependencies"], *(entry for group in groups for entry in EXTRAS[group])]
    return [Requirement(entry) for entry in entries]


def closure(roots: list[Requirement], machine: dict[str, str]) -> set[str]:
    """Names of all packages that `roots` bring in, from the metadata of what is installed here."""
    names: set[str] = set()
    waiting = [(canonicalize_name(root.name), frozenset(root.extras)) for root in roots]
    done = set()
    while waiting:
        name, extras = waiting.pop()
        names.add(name)
        if (name, extras) in done:
            continue
        done.add((name, extras))
        try:
            entries = [Requirement(entry) for entry in requires(name) or []]
        except PackageNotFoundError:  # not for this machine
            continue
        for entry in entries:
            if any(
                entry.marker is None or entry.marker.evaluate(machine | {"extra": extra})
                for extra in ("", *extras)
            ):
                waiting.append((canonicalize_name(entry.name), frozenset(entry.extras)))
    return names


def test_every_constraint_pins_one_public_version() -> None:
    for line in LINES:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*", line), line
    assert len(PINS) == len(LINES), "a package is pinned twice"


def test_constraints_are_sorted_so_that_a_change_is_seen() -> None:
    assert sorted(LINES, key=str.lower) == LINES


@pytest.mark.parametrize("group", sorted(EXTRAS))
def test_pins_satisfy_pyproject(group: str) -> None:
    for requirement in wanted(group):
        pin = PINS[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(Version(pin)), f"{requirement} excludes {pin}"


@pytest.mark.parametrize(
    "machine", MACHINES, ids=lambda m: f"{m['platform_system']}-{m['python_version']}"
)
def test_constraints_cover_everything_that_is_pulled_in(machine: dict[str, str]) -> None:
    cuda = {name for name in closure(wanted(*EXTRAS), machine) if name.startswith("nvidia-")}
    # A CUDA build of PyTorch pins its own companions.
    companions = cuda | {"triton", "cuda-bindings", "cuda-toolkit"}
    assert closure(wanted(*EXTRAS), machine) - companions <= PINS.keys()


def test_the_slow_grammar_packages_are_never_installed() -> None:
    # jsonschema 4.25 and later bring them in; they cost a second at each `import nbformat`.
    assert not {"rfc3987-syntax", "lark"} & PINS.keys()
    for machine in MACHINES:
        assert not {"rfc3987-syntax", "lark"} & closure(wanted(*EXTRAS), machine)


def test_conda_environment_has_the_packages_of_base_and_lessons() -> None:
    names = {re.split(r"[=<>]", entry)[0] for entry in CONDA_PACKAGES}
    assert names - {"python", "pip"} == {requirement.name for requirement in wanted("lessons")}


def test_conda_environment_has_the_pinned_versions() -> None:
    for entry in CONDA_PACKAGES:
        name, _, version = entry.partition("=")
        if name not in {"pip", "python>"}:
            assert version == PINS[name], f"environment.yml has {entry}"


def test_conda_python_is_one_that_the_package_allows() -> None:
    (python,) = (Requirement(entry) for entry in CONDA_PACKAGES if entry.startswith("python>"))
    allowed = Requirement(f"python{PROJECT['requires-python']}").specifier
    for minor in range(8, 20):
        version = Version(f"3.{minor}")
        if version in python.specifier:
            assert version in allowed
    assert Version("3.11") in python.specifier


@pytest.mark.parametrize("python", ["3.11.0", "3.11.2", "3.12.0", "3.13.0"])
def test_every_pin_installs_on_the_oldest_python_that_the_readme_names(python: str) -> None:
    """Debian 12 has Python 3.11.2."""
    refused = [
        f"{name} {PINS[name]} wants Python {wants}"
        for name in sorted(PINS)
        for wants in _wanted_python(name)
        if python not in SpecifierSet(wants)
    ]
    assert not refused


def _wanted_python(name: str) -> list[str]:
    """Return what a package asks of Python, nothing if it is not installed here."""
    try:
        return metadata(name).get_all("Requires-Python") or []
    except PackageNotFoundError:
        return []


def test_conda_environment_installs_the_course_itself() -> None:
    (pip,) = (entry["pip"] for entry in CONDA if isinstance(entry, dict))
    assert pip == ["--constraint constraints.txt", "--editable ."]


def test_every_dependency_has_its_line_in_the_docs() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    named = {name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
             for name in re.findall(r"`([^`]+)`", row)}  # fmt: skip
    assert [r.name for r in wanted(*EXTRAS) if r.name not in named] == []


def test_every_package_that_the_course_imports_is_declared() -> None:
    declared = {canonicalize_name(requirement.name) for requirement in wanted(*EXTRAS)}
    declared |= PARTS
    undeclared = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            outer = isinstance(node, ast.ImportFrom) and not node.level
            modules = [node.module or ""] if outer else []
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else modules
            tops = {module.partition(".")[0] for module in modules} - OWN
            names = {canonicalize_name(BROUGHT_AS.get(top, top)) for top in tops}
            undeclared |= names - declared
    assert undeclared == set()
