#!/bin/sh
# deb.sh [FOLDER]: build the Debian packages into FOLDER (default build/deb) from a copy of the source as it is, with the
# changes that are not committed; then lintian. DEB_BUILD_OPTIONS is dpkg's: "parallel=2 nocheck".
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(taut VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
mkdir -p "${1:-build/deb}"
folder=$(cd "${1:-build/deb}" && pwd)
copy=$folder/taut-$version
log=$folder/build.log

# Each name once; a file that was deleted but not yet committed is none.
sources()
{
    if git rev-parse --is-inside-work-tree > /dev/null 2>&1 && [ -z "$(git rev-parse --show-prefix)" ]; then
        git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'ls -d -- "$@" 2> /dev/null' sh |
            LC_ALL=C sort -u
    else
        find . -mindepth 1 \( -path './build*' -prune \) -o \( -name node_modules -o -name __pycache__ \) -prune -o \
            ! -type d ! -name '*.taut' -print | sed 's,^\./,,' | LC_ALL=C sort
    fi
}

rm -rf "$folder"/*.deb "$folder"/*.dsc "$folder"/*.buildinfo "$folder"/*.changes "$folder"/*.tar.* "$copy"
mkdir -p "$copy"
sources > "$folder/files"
tar -cf - --no-recursion -T "$folder/files" | tar -xf - -C "$copy"
echo "Building Debian packages in $folder"
# With the system's programs: another python3 of the user would not find Debian's modules.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
if ! (cd "$copy" && dpkg-buildpackage -us -uc) > "$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "dpkg-buildpackage failed; all it said is in $log" >&2
    exit 1
fi
rm -rf "$copy"
status=0
lintian --allow-root --fail-on error "$folder"/*.changes > "$folder/lintian.log" 2>&1 || status=$?
cat "$folder/lintian.log"
[ "$status" -eq 0 ] || { echo "lintian finds errors" >&2; exit 1; }
(cd "$folder" && ls -1 ./*.deb)
