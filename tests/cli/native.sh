#!/bin/sh
# native.sh TAUT MODELS: native code from outside: --native, the cache, compilers that are missing or fail. The numbers are the same.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

there cc || finish -1
unset TAUT_NATIVE TAUT_CC
XDG_CACHE_HOME=$work/cache
TMPDIR=$work
export XDG_CACHE_HOME TMPDIR
mkdir nothing
note='the run goes on without it, with the same results'
kept() { find "$work/cache" -name '*.so' 2> /dev/null | wc -l | tr -d ' '; }

# ---- the same frames ----
succeeds run "$double" --native off -T 1 --csv
cp out off.csv
is 'off keeps nothing' "$(kept)" 0
succeeds run "$double" --native on -T 1 --csv
is 'on gives the frames of off' "$(cmp out off.csv 2>&1)" ""
is 'on keeps what it compiled: the step, what is watched, the multipliers of frames' "$(kept)" 3
succeeds run "$double" --native on -T 1 --csv
is 'from the cache, too' "$(cmp out off.csv 2>&1)" ""
is 'and compiles nothing' "$(kept)" 3
TAUT_NATIVE=on succeeds run "$double" -T 1 --csv
is 'TAUT_NATIVE=on' "$(cmp out off.csv 2>&1)" ""

# ---- resume takes either ----
succeeds run "$double" --native off -T 1 -o whole.taut
succeeds export whole.taut whole.csv
succeeds run "$double" --native off -T 0.5 -o half.taut
succeeds resume half.taut -T 1 --native on
succeeds export half.taut half.csv
is 'resumed natively' "$(cmp whole.csv half.csv 2>&1)" ""
run resume half.taut -T 2 --native perhaps
is 'status of a wrong --native' "$status" 2

# ---- no compiler: no word, unless it was asked for ----
rm -rf cache
PATH=$work/nothing "$taut" run "$double" -T 1 --csv > out 2> err
is 'frames without a compiler' "$(cmp out off.csv 2>&1)" ""
is 'nothing is said of it' "$(cat err)" ""
PATH=$work/nothing "$taut" run "$double" -T 1 --csv --native auto > out 2> err
# Where Taut writes machine code itself there is nothing to say: nothing is missing.
lines='1 1'
[ "$(uname -m)" = x86_64 ] && grep -qw avx /proc/cpuinfo && lines='0 0'
is 'unless it is asked for, once' "$(grep -c "there is no C compiler .*; $note\$" err) $(wc -l < err | tr -d ' ')" "$lines"
cp half.taut again.taut
PATH=$work/nothing "$taut" resume again.taut -T 1.5 > out 2> err
is 'nothing is said of it when a run is resumed' "$(cat err)" ""
PATH=$work/nothing "$taut" resume again.taut -T 2 --native auto > out 2> err
is 'unless it is asked for' "$(grep -c "there is no C compiler .*; $note\$" err) $(wc -l < err | tr -d ' ')" "$lines"
PATH=$work/nothing "$taut" run "$double" -T 1 --csv --native on > out 2> err
is 'status of on without a compiler' "$?" 2
is 'one line' "$(grep -c '^taut: native code is not available: there is no C compiler' err) $(wc -l < err | tr -d ' ')" '1 1'

# ---- a compiler that fails: one line, and the same numbers ----
printf '#!/bin/sh\necho "error: not today" >&2\nexit 1\n' > badcc
chmod +x badcc
TAUT_CC=$work/badcc run run "$double" -T 1 --native on
is 'status of on with a compiler that fails' "$status" 2
is 'what it said' "$(grep -c "badcc' failed with exit status 1: error: not today\$" err)" 1
# The run must outlast the compiler, however slow the machine is just now.
for until in 20 200 2000 20000 200000; do
    TAUT_CC=$work/badcc run run "$double" -T $until
    [ -s err ] && break
done
is 'status of auto with a compiler that fails' "$status" 0
is 'said once' "$(grep -c "^taut: native code is not available: .*error: not today; $note\$" err) $(wc -l < err | tr -d ' ')" '1 1'
sed '/seconds\| s$\|steps.*in/d' out > bad
run run "$double" -T $until --native off
sed '/seconds\| s$\|steps.*in/d' out > off
is 'the same summary' "$(diff bad off)" ""

# ---- a cache that cannot be used ----
rm -rf cache
mkdir cache
ln -s "$work/nothing" cache/taut
succeeds run "$double" --native on -T 1 --csv
is 'without a cache' "$(cmp out off.csv 2>&1)" ""
is 'the link is not followed' "$(ls nothing)" ""

# ---- an interrupt leaves no compiler ----
rm -rf cache
printf '#!/bin/sh\necho $$ > "%s/pid"\nexec sleep 1000\n' "$work" > hangcc
chmod +x hangcc
TAUT_CC=$work/hangcc "$taut" run "$double" -s 0.0001 -T 100000 > out 2> err &
child=$!
for _ in $(seq 1000); do [ -s pid ] && break; sleep 0.02; done
kill -INT "$child" 2> /dev/null; kill "$child" 2> /dev/null
wait "$child" 2> /dev/null
gone=no
for _ in $(seq 500); do
    case $(cut -d' ' -f3 "/proc/$(cat pid)/stat" 2> /dev/null) in "" | Z | X) gone=yes && break ;; esac
    sleep 0.02
done
is 'the compiler is gone' "$gone" yes

finish 20
