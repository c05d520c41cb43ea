#!/bin/sh
# run.sh arm|wasm CASES SOURCE: steps for a target that is not this machine have the bits of this one. CASES is the
# program cases, SOURCE the repository. arm: machine code of aarch64 under qemu; wasm: modules of WebAssembly in node.
# 77 (skipped) where the tools are missing.
set -eu
target=$1 cases=$2 source=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

need() {
    for tool in "$@"; do
        command -v "$tool" > /dev/null || { echo "there is no $tool (tools/setup.sh check)"; exit 77; }
    done
}

# What the library has for aarch64, without what it takes from other libraries: models have become cases.
build_arm() {
    aarch64-linux-gnu-gcc -static -O1 -ffp-contract=off -D_GNU_SOURCE -ffunction-sections -Wl,--gc-sections \
        -I"$source/include" -I"$source/src" -I"$source/tests" -o "$scratch/arm" "$source/tests/targets/arm.c" \
        "$source"/src/lower/machine*.c "$source"/src/lower/flow.c "$source"/src/lower/run.c \
        "$source"/src/lower/expect.c "$source"/src/native/pages.c "$source"/src/native/use.c "$source"/src/base/*.c -lm
}

build_wasm() {
    clang --target=wasm32 -nostdlib -ffreestanding -O2 -ffp-contract=off -Wl,--no-entry -I"$source/src" \
        -o "$scratch/elementary.wasm" "$source/tests/targets/elementary.c"
}

case $target in
arm)
    need aarch64-linux-gnu-gcc qemu-aarch64
    [ -e /usr/aarch64-linux-gnu/include/stdio.h ] ||
        { echo 'there is no C library for aarch64 (libc6-dev-arm64-cross; tools/setup.sh check)'; exit 77; }
    build_arm ;;
wasm)
    need clang wasm-ld node
    build_wasm ;;
esac
mkdir "$scratch/cases"
"$cases" "$scratch/cases" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
case $target in
arm) qemu-aarch64 "$scratch/arm" "$scratch"/cases/*.case ;;
wasm) node "$source/tests/targets/wasm.mjs" "$scratch/elementary.wasm" "$scratch/cases" ;;
esac
