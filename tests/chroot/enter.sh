#!/bin/sh
# enter.sh FOLDER COMMAND...: runs a command in the chroot FOLDER, which debootstrap fills if it is not there (Debian 12,
# minbase; a copy of it stays in build/chroot/base). With /proc and /dev; mounts and processes end with the command.
# Needs root. MIRROR: where packages come from. CACHE: a folder of ccache, which is /ccache inside. ARCH: another
# architecture that the processor can run (i386; the copy is then build/chroot/base-i386).
set -eu
folder=$1
shift
base=$(cd "$(dirname "$0")/../.." && pwd)/build/chroot/base${ARCH:+-$ARCH}
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap > /dev/null; then
    echo "chroots take root and debootstrap" >&2
    exit 77
fi
if [ ! -e "$base.done" ]; then
    rm -rf "$base"
    mkdir -p "$base"
    debootstrap ${ARCH:+--arch="$ARCH"} --variant=minbase bookworm "$base" "${MIRROR:-http://deb.debian.org/debian}" > "$base.log" 2>&1 ||
        { tail -n 20 "$base.log" >&2; exit 1; }
    touch "$base.done"
fi
if [ ! -d "$folder/usr" ]; then
    mkdir -p "$folder"
    cp -a "$base/." "$folder/"
    cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
fi
TAUT_CHROOT=$(cd "$folder" && pwd)
export TAUT_CHROOT
exec unshare --mount --pid --fork sh -euc '
    mount -t proc proc "$TAUT_CHROOT/proc"
    mount --rbind /dev "$TAUT_CHROOT/dev"
    set -- chroot "$TAUT_CHROOT" "$@"
    if [ -n "${CACHE:-}" ]; then
        mkdir -p "$TAUT_CHROOT/ccache"
        mount --bind "$CACHE" "$TAUT_CHROOT/ccache"
        set -- CCACHE_DIR=/ccache CCACHE_BASEDIR=/root CCACHE_NOHASHDIR=1 CMAKE_C_COMPILER_LAUNCHER=ccache "$@"
    fi
    exec env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"' sh "$@"
