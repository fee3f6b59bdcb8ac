#!/bin/sh
# Create the virtual environment VENV with PYTHON if there is none. With EXTRAS, install the course
# into it, at the versions of constraints.txt. The Makefile calls it:
#
#     sh scripts/environment.sh VENV PYTHON [EXTRAS]
set -eu
venv=$1 python=$2 extras=${3-}

stop() {
    printf '%s\n' "$@" >&2
    exit 1
}

# A half-made environment (an interrupted first run) has no working pip: make it anew.
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    command -v "$python" >/dev/null 2>&1 ||
        stop "There is no $python. Install Python 3.11 or newer, or name one: make PYTHON=python3.12"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        stop "$("$python" --version 2>&1) is too old: this course needs Python 3.11 or newer." \
            "Install one and name it: make PYTHON=python3.12"
    "$python" -c 'import venv, ensurepip' >/dev/null 2>&1 ||
        stop "$python lacks the modules venv and ensurepip." \
            "On Debian and Ubuntu: sudo apt-get install python3-venv"
    echo "Creating the environment $venv"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi
[ -n "$extras" ] || exit 0
echo "Installing the course into $venv with [$extras] (the first time takes about a minute)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable ".[$extras]"
