#!/bin/sh
# bare.sh [TARGET...]: the README's commands, make demo and make check unless others are named, in a clone of what is
# committed, in a chroot that has git and make and nothing else. FOLDER: the chroot (build/chroot/bare), which is made new.
# CACHE: with ccache as well, and this cache.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=${FOLDER:-$top/build/chroot/bare}
rm -rf "$folder"
CACHE= "$top/tests/chroot/enter.sh" "$folder" sh -euc \
    "apt-get -qq update && apt-get -qq -y install --no-install-recommends git make ${CACHE:+ccache}" > /dev/null 2>&1
git clone -q --no-hardlinks "$top" "$folder/root/taut"
for target in ${*:-demo check}; do
    echo "make $target"
    "$top/tests/chroot/enter.sh" "$folder" make -C /root/taut "$target" ${JOBS:+JOBS=$JOBS}
done
