#!/bin/sh
# One line: when, on what, with which compiler and version of Taut.
commit=$(git rev-parse --short HEAD 2> /dev/null) || commit=unknown
git diff --quiet HEAD -- src programs include CMakeLists.txt 2> /dev/null || commit="$commit with changes"
load=$(cut -d ' ' -f 1 /proc/loadavg)
if echo "$load $(nproc)" | awk '{ exit !($1 > $2) }'; then load="$load (beside other work)"; fi
printf 'Measured %s, commit %s: %s, %s processors, load %s; %s.\n' "$(date +%Y-%m-%d)" "$commit" \
    "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$load" \
    "$(cc --version | head -n 1)"
