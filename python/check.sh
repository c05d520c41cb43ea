#!/bin/sh
# check.sh [--short | --build] [FOLDER]: build the package in a venv (in FOLDER, default build/python) from Debian's
# packages alone and run its tests: pytest with doctests, the notebook, mypy. --short: without notebook and mypy; --build:
# without tests. Status 77 where a package is missing. PYTHON names the interpreter. TAUT_FIGURES=docs/figures renews the
# notebook's figure.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
short= tests=yes
case ${1:-} in
--short) short=yes; shift ;;
--build) tests=; shift ;;
esac
folder=${1:-$top/build/python}
python=${PYTHON:-/usr/bin/python3}

probe='import cffi, ensurepip, numpy, os, pytest, setuptools, sysconfig, wheel
os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))'
if ! "$python" -c "$probe" 2> /dev/null; then
    echo 'cffi, numpy, pytest, venv, setuptools, wheel or the headers of Python are missing: tools/setup.sh python' >&2
    exit 77
fi

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
venv=$folder/venv
log=$folder/install.log
[ -x "$venv/bin/pip" ] || "$python" -m venv --system-site-packages "$venv"

# setuptools writes beside what it builds: from a copy.
rm -rf "$folder/source"
cp -R "$here" "$folder/source"
TAUT_SOURCE=$top
export TAUT_SOURCE
if ! TAUT_BUILD=${TAUT_BUILD:-$top/build} "$venv/bin/python" -m pip install --no-index --no-build-isolation --no-deps \
    --force-reinstall --disable-pip-version-check "$folder/source" > "$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

[ -n "$tests" ] || exit 0

# In a folder where the sources cannot stand in for what was installed.
cd "$folder"
installed=$("$venv/bin/python" -c 'import os, taut; print(os.path.dirname(taut.__file__))')
"$venv/bin/python" -m pytest -q -p no:cacheprovider --rootdir="$folder" --doctest-modules \
    ${short:+-k 'not test_notebook'} "$installed" source/tests
if [ -z "$short" ]; then
    "$venv/bin/python" -m mypy --strict --config-file="$here/pyproject.toml" --cache-dir="$folder/mypy" -p taut
fi
