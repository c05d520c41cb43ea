#!/bin/sh
# run.sh TAUT OUTPUT SCRIPT: runs a script of this folder with what pages are tested with: node, the packages of viewer/ and, but for
# current.mjs, chromium. Where one is missing it says so and exits with 77: skipped, not passed.
set -eu
here=$(realpath "$(dirname "$0")")
viewer=$here/../../viewer
skip()
{
    echo "SKIPPED: $1"
    exit 77
}

command -v node > /dev/null || skip "node is not installed (Debian: nodejs)"
status=0
node "$viewer/fetch.mjs" || status=$?
[ "$status" -ne 3 ] || skip "the packages of viewer/ are not here and the npm registry cannot be reached"
[ "$status" -eq 0 ] || exit 1
[ "$3" != packages ] || exit 0
TAUT_CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || [ "$3" = current.mjs ] || [ "$3" = trend.mjs ] ||
    skip "chromium is not installed"
export TAUT_CHROMIUM
mkdir -p "$2"
cd "$2"
exec node "$here/$3" "$1" "$2"
