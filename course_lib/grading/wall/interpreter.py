"""What the Python interpreter itself must be able to read while it runs."""

from __future__ import annotations

import os
import sys
import sysconfig
from glob import glob
from pathlib import Path

PACKAGE_FOLDERS = ("site-packages", "dist-packages")
LOCALES = ("/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8", "/usr/share/zoneinfo")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


def library_files() -> tuple[str, ...]:
    """Return where the system keeps shared libraries, the locale and time zones."""
    triplet = sysconfig.get_config_var("MULTIARCH")
    folders = [f"{root}/{triplet}" for root in ("/lib", "/usr/lib")] if triplet else []
    folders = [folder for folder in folders if os.path.isdir(folder)]  # noqa: PTH112 - strings
    folders = folders or ["/lib", "/usr/lib"]
    found = [*folders, "/lib64", "/usr/lib64", "/etc/ld.so.cache", *LOCALES]
    return tuple(path for path in found if Path(path).exists())


def standard_library() -> tuple[str, ...]:
    """Return the folders of the standard library, which a virtual environment shares."""
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    folders = (sysconfig.get_path(name, vars=base) for name in ("stdlib", "platstdlib"))
    return tuple(dict.fromkeys(folders))


def interpreter_files() -> tuple[str, ...]:
    """Return the files and folders that imports from the standard library read.

    The folders of installed packages are not among them: of those each course names its own.
    """
    found = list(library_files())
    for folder in standard_library():
        found += [entry.path for entry in os.scandir(folder) if entry.name not in PACKAGE_FOLDERS]
    if sys.base_prefix not in ("/", "/usr"):
        found += glob(f"{sys.base_prefix}/lib/*.so*")  # noqa: PTH207 - strings; conda keeps all there
    return (*dict.fromkeys(found), *DEVICES)
