#!/bin/sh
# i386.sh [PATTERN]: what is committed, built for 32 bits (Debian's i386, with the instructions of SSE2) in a chroot,
# and its fast tests there; or those whose names match. FOLDER: the chroot (build/chroot/i386), which stays, so that a
# second time only what has changed is built. JOBS. As root, on a processor and a kernel for x86-64.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=${FOLDER:-$top/build/chroot/i386}
ARCH=i386
export ARCH
enter() { CACHE='' "$top/tests/chroot/enter.sh" "$folder" "$@"; }

# What tools/setup.sh calls the group build.
packages=$(sed -n '/^build="/,/"$/p' "$top/tools/setup.sh" | tr -d '"\n' | sed 's/^build=//')
[ -e "$folder.packages" ] || {
    enter sh -euc "apt-get -qq update
        apt-get -qq -y install --no-install-recommends $packages git python3 sqlite3" > /dev/null 2>&1
    touch "$folder.packages"
}
if [ -d "$folder/root/taut" ]; then
    git -C "$folder/root/taut" fetch -q "$top" HEAD
    git -C "$folder/root/taut" checkout -q FETCH_HEAD
else
    git clone -q --no-hardlinks "$top" "$folder/root/taut"
fi
# psabi: a note of gcc about structs that no other program sees. TAUT_NATIVE=off: there is no machine code for i386.
enter env CFLAGS='-msse2 -mfpmath=sse -Wno-psabi' TAUT_NATIVE=off sh -euc "cd /root/taut
    tools/build.sh check ${JOBS:-2}
    ctest --test-dir build --parallel ${JOBS:-2} --timeout 600 --output-on-failure ${1:+-R '$1'} \\
        -LE 'perturbed|valgrind' -E 'lint|page_|docs_|test_compile_32|test_layers|bench'"
