#!/bin/sh
# programs.sh PREFIX CC [LANGUAGE...]: builds and runs programs against what is installed in PREFIX: C, C++ and Fortran
# with pkg-config, shared and static, CMake projects, Python where the module taut is installed. A language whose
# compiler is missing is left out, unless it is named: C++, Fortran, Python.
set -eu
prefix=$1 cc=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
pc=$(find "$prefix"/lib -name taut.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libraries=$(dirname "$PKG_CONFIG_PATH")
# What is in the system is found without being asked for; the rest is not.
case $prefix in
/usr) ;;
*) LD_LIBRARY_PATH=$libraries PYTHONPATH=$prefix/lib/python3/dist-packages; export LD_LIBRARY_PATH PYTHONPATH ;;
esac
status=0 count=0

# try NAME COMMAND...: it prints where the pendulum is
try()
{
    name=$1
    shift
    count=$((count + 1))
    if "$@" > output 2>&1 && grep -q "^x = .*y = -" output; then
        cat output >> outputs
    else
        status=1
        echo "$name:"
        cat output
    fi
}
compiled()
{
    name=$1
    shift
    if "$@" > output 2>&1; then return 0; fi
    status=1
    echo "$name does not build:"
    cat output
    return 1
}
# missing LANGUAGE "$@": is it left out, or wanted?
missing()
{
    language=$1
    shift
    case " $* " in
    *" $language "*) status=1; echo "$language is missing" ;;
    esac
}

flags=$(pkg-config --cflags --libs taut)
static="$(pkg-config --cflags taut) $libraries/libtaut.a $(pkg-config --static --libs taut | sed 's/-ltaut//')"
compiled C "$cc" -std=c11 -Wall -Wextra -pedantic -Werror "$here/pendulum.c" $flags -lm -o c && try C ./c
compiled "C, static" "$cc" "$here/pendulum.c" $static -o s && try "C, static" env -u LD_LIBRARY_PATH ./s
if command -v g++ > /dev/null; then
    compiled C++ g++ -std=c++17 -Wall -Wextra -pedantic -Werror -x c++ "$here/pendulum.c" -x none $flags -o cpp &&
        try C++ ./cpp
else
    missing C++ "$@"
fi
if command -v gfortran > /dev/null; then
    compiled Fortran gfortran -Wall "$here/pendulum.f90" $flags -o f && try Fortran ./f
else
    missing Fortran "$@"
fi
if compiled CMake cmake -S "$here/cmake" -B cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" &&
    compiled CMake cmake --build cmake; then
    try "CMake, shared" env -u LD_LIBRARY_PATH cmake/shared
    try "CMake, static" env -u LD_LIBRARY_PATH cmake/static
fi
if [ -e "$prefix/lib/python3/dist-packages/taut" ] && /usr/bin/python3 -c 'import taut' 2> python.log; then
    try Python /usr/bin/python3 "$here/pendulum.py"
else
    missing Python "$@"
    [ ! -s python.log ] || cat python.log
fi
[ "$(sort -u outputs | wc -l)" -eq 1 ] || { status=1; echo "not all programs print the same:"; sort -u outputs; }
echo "$count programs"
exit $status
