#!/bin/sh
# check.sh [FOLDER]: build the package in a venv from Debian's packages alone (FOLDER, default build/python) and run its
# tests: pytest with doctests, mypy. PYTHON names the interpreter. TAUT_FIGURES=docs/figures renews the notebook's figure.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
folder=${1:-$top/build/python}
python=${PYTHON:-/usr/bin/python3}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
venv=$folder/venv
log=$folder/install.log
[ -x "$venv/bin/python" ] || "$python" -m venv --system-site-packages "$venv"

# setuptools writes beside what it builds: from a copy.
rm -rf "$folder/source"
cp -R "$here" "$folder/source"
if ! TAUT_SOURCE=$top TAUT_BUILD=${TAUT_BUILD:-$top/build} "$venv/bin/python" -m pip install --no-index --no-build-isolation \
    --no-deps --force-reinstall --disable-pip-version-check "$folder/source" > "$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

# Where neither the package's sources nor the tests of this tree can stand in for what was installed.
cd "$folder"
installed=$("$venv/bin/python" -c 'import os, taut; print(os.path.dirname(taut.__file__))')
TAUT_SOURCE=$top "$venv/bin/python" -m pytest -q -p no:cacheprovider --rootdir="$folder" --doctest-modules "$installed" "$here/tests"
if "$venv/bin/python" -c 'import mypy' 2> /dev/null; then
    "$venv/bin/python" -m mypy --strict --config-file="$here/pyproject.toml" --cache-dir="$folder/mypy" -p taut
else
    echo 'mypy is not installed: types not checked'
fi
