#!/bin/sh
# run.sh BUILD SOURCE CC: installs the build into a folder, moves that folder, and builds and runs programs of other people
# against it: C, C++ and Fortran with pkg-config, shared and static, and CMake projects.
set -eu
build=$1 source=$2 cc=$3
here=$source/tests/consumers
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cmake --install "$build" --prefix "$scratch/first" > install.log || { cat install.log; exit 1; }
mv first moved
prefix=$scratch/moved
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
! grep -rI "$scratch" moved/lib/pkgconfig moved/lib/cmake || { echo "the prefix is written into these files"; exit 1; }
status=0 count=0

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

flags=$(pkg-config --cflags --libs taut)
static="$(pkg-config --cflags taut) $prefix/lib/libtaut.a $(pkg-config --static --libs taut | sed 's/-ltaut//')"
compiled C "$cc" -std=c11 -Wall -Wextra -pedantic -Werror "$here/pendulum.c" $flags -lm -o c &&
    LD_LIBRARY_PATH=$prefix/lib try C ./c
compiled "C, static" "$cc" "$here/pendulum.c" $static -o s && try "C, static" ./s
if command -v g++ > /dev/null; then
    compiled C++ g++ -std=c++17 -Wall -Wextra -pedantic -Werror -x c++ "$here/pendulum.c" -x none $flags -o cpp &&
        LD_LIBRARY_PATH=$prefix/lib try C++ ./cpp
fi
if command -v gfortran > /dev/null; then
    compiled Fortran gfortran -Wall "$here/pendulum.f90" $flags -o f && LD_LIBRARY_PATH=$prefix/lib try Fortran ./f
fi
if compiled CMake sh -c "cmake -S '$here/cmake' -B cmake -DCMAKE_PREFIX_PATH='$prefix' -DCMAKE_C_COMPILER='$cc' && cmake --build cmake"; then
    try "CMake, shared" cmake/shared
    try "CMake, static" cmake/static
fi
compiled add_subdirectory cmake -S "$here/subdirectory" -B subdirectory -DTAUT_SOURCE="$source" -DCMAKE_C_COMPILER="$cc" || true
[ "$(sort -u outputs | wc -l)" -eq 1 ] || { status=1; echo "not all programs print the same:"; sort -u outputs; }
"$prefix/bin/taut" --version > /dev/null || status=1
echo "$count programs"
exit $status
