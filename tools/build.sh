#!/bin/sh
# build.sh PRESET [JOBS [TARGET]]: configure a preset of CMakePresets.json and build it, saying little unless it fails.
set -eu
cd "$(dirname "$0")/.."
preset=$1
jobs=${2:-2}
target=${3:-all}
case $preset in
default | check) folder=build ;;
*) folder=build-$preset ;;
esac

echo "Building $folder ($preset)"
mkdir -p "$folder"
if ! cmake --preset "$preset" > "$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    exit 1
fi
exec cmake --build "$folder" --target "$target" --parallel "$jobs" -- --no-print-directory --quiet
