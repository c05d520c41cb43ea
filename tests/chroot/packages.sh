#!/bin/sh
# packages.sh [DEBS]: installs the packages that make deb has built (build/deb) in a clean chroot, with what they depend
# on and nothing else, and uses them there: the command with its models, the C, C++, Fortran and Python programs and CMake
# projects of tests/consumers, the examples of taut-doc. Then they are removed, and leave nothing behind.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
debs=${1:-$top/build/deb}
folder=$top/build/chroot/packages
for package in libtaut0 libtaut-dev taut python3-taut taut-doc; do
    ls "$debs/${package}"_*.deb > /dev/null || { echo "make deb comes first" >&2; exit 1; }
done
enter() { "$top/tests/chroot/enter.sh" "$folder" "$@"; }

rm -rf "$folder"
enter true
mkdir -p "$folder/root/debs"
cp "$debs"/*.deb "$folder/root/debs"
mkdir -p "$folder/root/tests/docs"
cp -R "$top/tests/consumers" "$top/tests/example.sh" "$folder/root/tests"
cp "$top/tests/docs/compare.awk" "$folder/root/tests/docs"
cp "$top/tests/chroot/use.sh" "$top/tests/chroot/lattice.lua" "$folder/root"
enter sh /root/use.sh
