#!/bin/sh
# use.sh: inside the chroot, see packages.sh.
set -eu
cd /root
apt="apt-get -qq -y --no-install-recommends"
say() { echo "  $*"; }
quietly() { "$@" > log 2>&1 || { cat log; exit 1; }; }
# All but what packages and programs write while they work.
files()
{
    find / -xdev \( -path /root -o -path /proc -o -path /dev -o -path /var/lib -o -path /var/cache -o -path /var/log \
        -o -path /tmp \) -prune -o -print | LC_ALL=C sort
}
installed() { quietly $apt install "$@"; }

quietly apt-get -qq update
files > before

# The command alone. What it loads at run time is there as well: LAPACK (stewart-platform), MUMPS (lattice).
installed ./debs/taut_*.deb
models=/usr/share/taut/models
quietly taut run $models/double-spherical-pendulum.lua -m lobatto:s=3 -T 1 -o run.taut
quietly taut report run.taut -o page.html
quietly taut run $models/stewart-platform.lua -s 0.001 -T 0.002
quietly taut run lattice.lua -m em -s 0.01 -T 0.02
quietly taut verify $models/pendulum.lua -m rattle
quietly taut reproduce --short gonzalez -o reproduction
[ -s /usr/share/man/man1/taut.1.gz ] && [ -s /usr/share/bash-completion/completions/taut ]
say "the command: runs, pages, LAPACK and MUMPS, an experiment of a paper"

# HDF5 is recommended only: without it export names what is missing.
if taut export run.taut run.h5 > log 2>&1; then cat log; echo "HDF5 is there without being asked for"; exit 1; fi
grep -qi hdf5 log
installed $(dpkg-query -W -f '${Recommends}' taut | tr ',' ' ')
quietly taut export run.taut run.h5
say "export to HDF5 with what the package recommends"

# Python without a compiler.
installed ./debs/libtaut0_*.deb ./debs/python3-taut_*.deb
python3 tests/consumers/pendulum.py
python3 -c 'import sys, taut; taut.load(sys.argv[1]).simulation().run(1, every=10)' $models/double-spherical-pendulum.lua
say "Python"

installed ./debs/libtaut-dev_*.deb ./debs/taut-doc_*.deb gcc g++ gfortran libc6-dev make cmake pkgconf
tests/consumers/programs.sh /usr cc C++ Fortran Python
say "C, C++, Fortran, Python, pkg-config, CMake"

# The examples as they are documented, and what they print.
examples=/usr/share/doc/taut/examples
count=0
for source in $examples/*.c; do
    name=$(basename "$source" .c)
    quietly cc "$source" $(pkg-config --cflags --libs taut) -lpthread -lm -o "example_$name"
    quietly sh tests/example.sh "./example_$name" "$examples/$name.txt"
    count=$((count + 1))
done
[ "$count" -gt 5 ]
say "$count examples"

# Twice installed is as once; purged, nothing stays.
quietly $apt --reinstall install ./debs/taut_*.deb ./debs/libtaut0_*.deb
quietly apt-get -qq -y purge taut libtaut0 libtaut-dev python3-taut taut-doc
files > after
if LC_ALL=C comm -13 before after | grep -i taut; then echo "these stay after a purge"; exit 1; fi
say "purged"
