"""Which files answers may read: Python itself, the allowed packages, and what these need."""

from __future__ import annotations

import importlib.util
import os
import re
import site
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from course_lib.grading.wall import interpreter_files

ALWAYS = ("numpy", "ipython", "matplotlib", "matplotlib-inline")
SYSTEM = ("/usr/lib/locale", "/usr/share/zoneinfo", "/usr/share/fonts", "/usr/local/share/fonts")
REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\([^)]*\)|[^;]*)?(?:;(.*))?$")


@dataclass(frozen=True)
class Readable:
    """What the far side may see of this machine.

    paths: files and folders that may be read; folders: ones that may only be listed; names: what
    may be imported, dotted where only a part of a package may; search: its sys.path.
    """

    paths: tuple[str, ...]
    folders: tuple[str, ...]
    names: tuple[str, ...]
    search: tuple[str, ...]


@cache
def readable(packages: tuple[str, ...]) -> Readable:
    """Return what answers may read that may import `packages`.

    Names are those of distributions ("scikit-learn") or of modules ("course_lib.toy_gpt").

    Raises:
        ValueError: a package is not installed.
    """
    paths = dict.fromkeys((*interpreter_files(), *filter(os.path.exists, SYSTEM)))
    names: dict[str, None] = {}
    for dist in _closure((*ALWAYS, *(p for p in packages if _distribution(p)))):
        for top in _top_level(dist):
            paths[str(top)] = None
            names[top.name.partition(".")[0]] = None
    for package in packages:
        if not _distribution(package):
            paths[str(_module_path(package))] = None
            names[package] = None
    search = [*_standard(), *(p for p in site_folders() if p not in _standard())]
    search += [str(_root(p)) for p in packages if not _distribution(p)]
    folders = (*site_folders(), *_standard())
    return Readable(tuple(paths), folders, tuple(names), tuple(dict.fromkeys(map(str, search))))


def site_folders() -> tuple[str, ...]:
    """Return the folders that packages are installed in."""
    found = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    found += [p for p in site.getsitepackages() if Path(p).is_dir()]
    return tuple(dict.fromkeys(str(Path(p).resolve()) for p in found))


def _standard() -> list[str]:
    """Return where the standard library lies."""
    paths = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    paths += [str(Path(p) / "lib-dynload") for p in paths]
    archive = f"python{sys.version_info[0]}{sys.version_info[1]}.zip"
    return list(dict.fromkeys([str(Path(paths[0]).parent / archive), *paths]))


def _distribution(package: str) -> bool:
    if "." in package:
        return False
    try:
        files = metadata.distribution(package).files or []
    except metadata.PackageNotFoundError:
        return False
    return any(len(file.parts) > 1 and not file.parts[0].endswith(".dist-info") for file in files)


@cache
def _closure(packages: tuple[str, ...]) -> tuple[metadata.Distribution, ...]:
    found: dict[str, metadata.Distribution] = {}
    waiting = list(packages)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system
        for line in found[name].requires or ():
            match = REQUIREMENT.match(line.partition("[")[0] if "[" in line else line)
            if match and "extra" not in (line.partition(";")[2] or ""):
                waiting.append(match[1])
    return tuple(found.values())


def _top_level(dist: metadata.Distribution) -> list[Path]:
    """Return the files and folders in site-packages that a distribution brings."""
    tops = {}
    for file in dist.files or ():
        first = file.parts[0]
        if first not in ("..", "__pycache__", "bin") and not first.endswith((".pth", ".dist-info")):
            tops[first] = Path(str(dist.locate_file(first))).resolve()
    return [path for path in tops.values() if path.exists()]


def _root(module: str) -> Path:
    """Return the folder from which a module's package is imported."""
    path = _module_path(module.partition(".")[0])
    return path.parent


def _module_path(module: str) -> Path:
    """Return the file or folder of a module, without importing it or its packages."""
    top, *rest = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None:
        raise ValueError(
            f"the package {module!r} is not installed here, so answers cannot be allowed to "
            "import it: install it, or take it off the list"
        )
    if not spec.submodule_search_locations:
        return Path(str(spec.origin)).resolve()
    path = Path(next(iter(spec.submodule_search_locations))).resolve().joinpath(*rest)
    if path.is_dir():
        return path
    file = path.with_suffix(".py")
    if not file.is_file():
        raise ValueError(f"there is no module {module!r} in {path.parent}")
    return file
