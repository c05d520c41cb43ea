#!/bin/sh
# setup.sh GROUP...: install the Debian packages of these groups (build, check, bench, python, deb, abi, chroot, lint, fuzz,
# coverage) that are missing. Asks apt for nothing when all are there.
set -eu

build="gcc libc6-dev make cmake pkgconf liblua5.4-dev libsuitesparse-dev libmumps-seq-5.5 libmumps-headers-dev
       liblapacke-dev libopenblas-serial-dev libsqlite3-dev libhdf5-dev libexpat1-dev libcmocka-dev"
check="clang lld sqlite3 nodejs chromium fonts-dejavu-core curl ca-certificates gcc-aarch64-linux-gnu
       libc6-dev-arm64-cross qemu-user"
bench="python3 g++ libsundials-dev libsuitesparse-dev libsimbody-dev libmujoco-dev libode-dev libdart-dev lammps liblammps-dev gromacs
       libopenmm-dev libopenmm-plugins siconos"
python="python3 python3-dev python3-venv python3-pip python3-setuptools python3-wheel python3-cffi python3-numpy python3-pytest mypy
        python3-matplotlib python3-pandas python3-scipy python3-xarray python3-nbconvert python3-nbclient python3-ipykernel"
# What debian/control asks for besides group build.
deb="build-essential dpkg-dev debhelper dh-python lintian pybuild-plugin-pyproject python3-all-dev python3-cffi python3-numpy
     python3-pytest python3-setuptools"
abi="abigail-tools binutils"
chroot="debootstrap git"
lint="clang-tidy cppcheck valgrind"
fuzz="clang libclang-rt-dev"
coverage="python3"

wanted=
for group in "$@"; do
    case $group in
    build) wanted="$wanted $build" ;;
    check) wanted="$wanted $check" ;;
    bench) wanted="$wanted $bench" ;;
    python) wanted="$wanted $python" ;;
    deb) wanted="$wanted $deb" ;;
    abi) wanted="$wanted $abi" ;;
    chroot) wanted="$wanted $chroot" ;;
    lint) wanted="$wanted $lint" ;;
    fuzz) wanted="$wanted $fuzz" ;;
    coverage) wanted="$wanted $coverage" ;;
    *) echo "setup.sh: no group of packages is called '$group'" >&2; exit 2 ;;
    esac
done

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    echo "Not a Debian system: install the counterparts of these packages yourself:" $wanted >&2
    exit 0
fi

missing=
for package in $wanted; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null) || state=
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    root=
elif command -v sudo > /dev/null; then
    root=sudo
else
    echo "Debian packages are missing, and installing them takes root or sudo. As root, run:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 1
fi

echo "Installing Debian packages:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt="$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y"
if ! { $apt update && $apt install --no-install-recommends $missing; } > "$log" 2>&1; then
    cat "$log" >&2
    echo "The packages could not be installed. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
