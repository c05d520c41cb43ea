#!/bin/sh
# compile.sh TAUT MODELS: taut compile from outside. What it writes compiles without a warning, gives the numbers of taut run to the last digit,
# and what cannot be written is refused in one line.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

compilers=
for cc in gcc clang; do there $cc && compilers="$compilers $cc"; done
[ "$compilers" ] || finish -1
warnings='-std=c11 -Wall -Wextra -Wconversion -Werror'

# A program that makes STEPS steps of the model in it.h and prints time, positions and momenta (and, as taut run does, velocities between
# them): main FORMAT
write_main() {
    {
        printf '#include <stdio.h>\n#include "it.h"\nint main(void)\n{\n    static it_state z;\n    it_init(&z);\n'
        printf '    for (int i = 0; i < STEPS; i++)\n        if (it_step(&z, IT_STEP)) return 10 + it_status(&z);\n'
        printf '    printf("%s", (double)it_get(&z, IT_TIME));\n' "$1"
        sed -n 's/^    \(IT_[QVP]_[A-Za-z0-9_]*\) = .*/\1/p' it.h |
            while read -r name; do printf '    printf(",%s", (double)it_get(&z, %s));\n' "$1" "$name"; done
        printf '    printf("\\n");\n    return 0;\n}\n'
    } > main.c
}

# ---- the same digits as taut run ----
# same MODEL METHOD STEP STEPS: with each compiler, at a level that goes round
level=0
same() {
    succeeds compile "$models/$1.lua" -m "$2" -s "$3" -o it.c
    write_main '%.17g'
    # the printf that taut itself uses writes the shortest digits: both are read as numbers
    succeeds run "$models/$1.lua" -m "$2" -s "$3" -T "$(awk "BEGIN { print $3 * $4 }")" --csv --every "$4"
    columns=$(grep -c '^    IT_[QVP]_' it.h)
    velocities=$(grep -c '^    IT_V_' it.h)
    positions=$(grep -c '^    IT_Q_' it.h)
    # without velocities in the state (a Hamiltonian) their columns are left out
    tail -n 1 out | awk -F, -v n="$positions" -v v="$velocities" -v c="$columns" '{ line = $1; last = 1 + (v ? c : 3 * n)
        for (i = 2; i <= last; i++) if (v || i <= 1 + n || i > 1 + 2 * n) line = line "," $i; print line }' > expected
    for cc in $compilers; do
        for extra in '' -march=native; do
            level=$(((level + 1) % 4))
            # shellcheck disable=SC2086 # several words
            $cc $warnings -O$level $extra -DSTEPS="$4" it.c main.c -o it > log 2>&1 || cat log
            ./it > found
            is "$1, $2 by $cc -O$level $extra" "$(paste -d, expected found | awk -F, '{ n = NF / 2; bad = 0
                for (i = 1; i <= n; i++) if ($i + 0 != $(n + i) + 0) bad++; print (n > 1 ? bad : "nothing") }')" 0
            rm -f it
        done
    done
}
same pendulum rattle 0.01 1000
is 'parameters that the header lists' "$(sed -n 's/^ \*  *\(parameters \)\{0,1\} *\([mgl] = 1\)$/\2/p' it.h | tr '\n' ' ')" 'm = 1 g = 1 l = 1 '
same double-spherical-pendulum rattle 0.01 1000
same double-spherical-pendulum em 0.01 1000
same double-spherical-pendulum compose:rattle,order=6 0.05 200
same pendulum compose:euler,order=4 0.02 500
same triple-pendulum lobatto:s=3 0.01 500
same four-bar rattle 0.001 1000
same driven-pendulum em 0.01 1000

# ---- a square root without instruction and library ----
succeeds compile "$models/water.lua" -s 0.001 -o it.c
write_main '%.17g'
for cc in $compilers; do
    # shellcheck disable=SC2086 # several words
    $cc $warnings -O1 -DSTEPS=200 it.c main.c -o it && ./it > first
    # shellcheck disable=SC2086 # several words
    $cc $warnings -O1 -DSTEPS=200 -U__SSE2__ -U__aarch64__ it.c main.c -o it && ./it > second
    is "square roots by $cc" "$(cmp first second 2>&1)" ""
    is "numbers of them by $cc" "$(wc -l < first | tr -d ' ')" 1
    $cc -O2 -c it.c -o it.o
    is "no function of libm by $cc" "$(nm it.o | awk '$1 == "U" && $2 !~ /^(memcpy|memset|_GLOBAL_OFFSET_TABLE_)$/ { print $2 }')" ""
    # all kinds of numbers: those of the C library
    sed -n '/^\/\* The square root/,/^#define TAUT_SQRT/p' it.c > root.h
    cat > root.c <<'END'
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "root.h"
int main(void)
{
    static const double some[] = { 0.0, -0.0, -1, 1, 2, 4, 0x1p-1074, 0x3p-1074, 0x1p-1022, 0x0.fffffffffffffp-1022,
                                   0x1.fffffffffffffp1023, 0x1.fffffffffffffp0, 0x1.ffffffffffffep1, HUGE_VAL, -HUGE_VAL, NAN };
    unsigned long long bits = 88172645463325252u;
    long bad = 0;
    for (long i = 0; i < 100016; i++) { /* xorshift: all exponents */
        double x, y, z;
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        memcpy(&x, &bits, sizeof x);
        if (i < 16) x = some[i];
        y = taut_own_sqrt(x), z = sqrt(x);
        bad += y != y ? z == z : memcmp(&y, &z, sizeof y) != 0;
    }
    printf("%ld\n", bad);
    return 0;
}
END
    for extra in '' '-U__SSE2__ -U__aarch64__' -march=native; do
        # shellcheck disable=SC2086 # several words
        $cc -std=c11 -O1 $extra root.c -o root -lm
        is "roots by $cc $extra" "$(./root)" 0
    done
done
same damped-pendulum galerkin 0.01 500
same heavy-top rattle 0.001 500
same henon-heiles euler 0.05 1000
same slider-crank del 0.001 1000
same water shake 0.0001 1000
same papers/jay-simeon-4.1 euler 0.01 200

# ---- gnu11 with fused multiply-add: the file itself says that it must not be used ----
# (gcc 12 uses it for damped-pendulum with -ffp-contract=off, in vectors of two.)
for cc in $compilers; do
    succeeds compile "$models/damped-pendulum.lua" -m shake -s 0.005 -o it.c
    write_main '%a'
    # shellcheck disable=SC2086 # several words
    $cc $warnings -O0 -DSTEPS=1000 it.c main.c -o it -lm && ./it > first
    $cc -std=gnu11 -O3 -march=native -DSTEPS=1000 it.c main.c -o it -lm && ./it > second
    is "contraction by $cc" "$(cmp first second 2>&1)" ""
    is "numbers by $cc" "$(wc -l < first | tr -d ' ')" 1
    # shellcheck disable=SC2086 # several words
    $cc $warnings -ffreestanding -O2 -c it.c -o it.o > log 2>&1
    is "freestanding by $cc" "$? $(cat log)" "0 "
    is "no function of anyone by $cc" "$(nm it.o | awk '$1 == "U" && $2 !~ /^(memcpy|memset|_GLOBAL_OFFSET_TABLE_)$/ { print $2 }')" ""
done

# ---- single precision ----
for spec in 'pendulum rattle 0.01' 'double-spherical-pendulum em 0.01' 'damped-pendulum galerkin 0.01' 'heavy-top rattle 0.001'; do
    # shellcheck disable=SC2086 # three words
    set -- $spec
    model=$1 method=$2 step=$3
    succeeds compile "$models/$model.lua" -m "$method" -s "$step" -o it.c
    write_main '%.17g'
    columns=$(($(grep -c '^    IT_[QVP]_' it.h) + 1))
    # em finds velocities from positions: an ulp of these comes divided by the step, and stays
    [ "$method" = em ] && columns=$(($(grep -c '^    IT_Q_' it.h) + 1))
    cc=${compilers##* }
    # shellcheck disable=SC2086 # several words
    $cc $warnings -O1 -DSTEPS=50 it.c main.c -o it -lm && ./it > expected
    succeeds compile "$models/$model.lua" -m "$method" -s "$step" --float -o it.c
    is "no double in the float of $model" "$(sed -n '/^static int step1/,$p' it.c | grep -c double)" 0
    for cc in $compilers; do
        # shellcheck disable=SC2086 # several words
        $cc $warnings -Wdouble-promotion -Wfloat-conversion -O2 -c it.c -o it.o > log 2>&1
        is "float of $model by $cc" "$? $(cat log)" "0 "
        # shellcheck disable=SC2086 # several words
        $cc $warnings -O2 -DSTEPS=50 it.c main.c -o it -lm && ./it > found
        # 50 steps with errors of half an ulp of float (6e-8) each of numbers up to some 50, which add up
        is "float of $model is near by $cc" "$(paste -d, expected found | awk -F, -v columns=$columns '{ n = NF / 2; bad = 0; for (i = 1; i <= columns; i++) {
            d = $i - $(n + i); if (d < 0) d = -d; if (!(d <= 50 * 50 * 6e-8)) bad++ }; print (n > 1 ? bad : "nothing") }')" 0
        is "and not the same by $cc" "$(cmp -s expected found && echo same)" ""
    done
done

# ---- parameters, reset, checkpoints, failures ----
succeeds compile "$pendulum" -D l=2 -s 0.01 -o it.c
cat > main.c << 'END'
#include <stdio.h>
#include <string.h>
#include "it.h"
static it_state z, other, start;
static void run(int steps) { for (int i = 0; i < steps; i++) it_step(&z, IT_STEP); }
#define CHECK(what) do { if (!(what)) { printf("%d: %s\n", __LINE__, #what); } } while (0)
int main(void)
{
    it_init(&z);
    start = z;
    CHECK(it_get(&z, IT_TIME) == 0 && it_status(&z) == IT_OK);
    run(10);
    other = z; /* a checkpoint */
    run(10);
    double x = it_get(&z, IT_Q_a_x);
    z = other;
    run(10);
    CHECK(it_get(&z, IT_Q_a_x) == x);
    it_reset(&z);
    CHECK(!memcmp(z.x, start.x, sizeof z.x) && z.t == 0);
    run(20);
    CHECK(it_get(&z, IT_Q_a_x) == x);
    /* a parameter to another value and back leaves no trace */
    it_reset(&z);
    CHECK(it_set(&z, IT_PARAMETER_g, 3) == 0);
    run(20);
    CHECK(it_get(&z, IT_Q_a_x) != x);
    CHECK(it_set(&z, IT_PARAMETER_g, start.parameter[IT_PARAMETER_g]) == 0);
    it_reset(&z);
    run(20);
    CHECK(it_get(&z, IT_Q_a_x) == x);
    CHECK(it_set(&z, 99, 1) == 1 && it_set(&z, -1, 1) == 1);
    CHECK(it_get(&z, -1) == 0 && it_get(&z, 9999) == 0);
    /* steps that fail leave the motion as it was */
    other = z;
    CHECK(it_step(&z, 0) == IT_NOT_FINITE && it_status(&z) == IT_NOT_FINITE);
    CHECK(it_step(&z, 1e200) != IT_OK);
    CHECK(!memcmp(z.x, other.x, sizeof z.x) && z.t == other.t && z.t_low == other.t_low);
    CHECK(it_step(&z, IT_STEP) == IT_OK && it_status(&z) == IT_OK);
    /* back again */
    it_step(&z, -IT_STEP);
    double d = it_get(&z, IT_Q_a_x) - x;
    CHECK(d < 1e-14 && d > -1e-14); /* ten ulps or so: rattle is reversible */
    /* a pendulum at its singular place */
    z.x[IT_Q_a_x] = 0, z.x[IT_Q_a_y] = 0;
    CHECK(it_step(&z, IT_STEP) == IT_SINGULAR);
    printf("done\n");
    return 0;
}
END
cc=${compilers##* }
# shellcheck disable=SC2086 # several words
$cc $warnings -O1 it.c main.c -o it -lm && ./it > found
is 'parameters, reset, checkpoints, failures' "$(cat found)" done
# g = 3 set in the program, and at the command line
succeeds compile "$pendulum" -D g=3 -s 0.01 -o it.c
write_main '%.17g'
# shellcheck disable=SC2086 # several words
$cc $warnings -DSTEPS=100 it.c main.c -o it -lm && ./it > expected
succeeds compile "$pendulum" -s 0.01 -o it.c
sed 's/it_init(&z);/it_init(\&z); it_set(\&z, IT_PARAMETER_g, 3);/' main.c > other.c
# shellcheck disable=SC2086 # several words
$cc $warnings -DSTEPS=100 it.c other.c -o it -lm && ./it > found
is 'a parameter set is one defined' "$(cmp expected found 2>&1)" ""

# ---- names that C could trip over ----
cat > strange.lua << 'END'
title "it ends */ int x[-1]; /* ??/"
local m = param("m", 1)
local a, b, c = coordinate "x_1", coordinate "x1", coordinate "int"
lagrangian(m * (a.dot^2 + b.dot^2 + c.dot^2) / 2 - m * a)
constraint("x_1", a^2 + b^2 + c^2 - 1)
constraint("x__1", a + b)
start { x_1 = 0, x1 = 0, int = 1 }
END
run compile strange.lua -o 'a "b.c'
is 'a file name that cannot be included' "$status $(wc -l < err | tr -d ' ')" '2 1'
run compile strange.lua -o '9 strange-name.c'
is 'a strange model' "$status $(cat err)" '0 '
is 'its prefix' "$(grep -c '^void m9_strange_name_init' '9 strange-name.h')" 1
for cc in $compilers; do
    # shellcheck disable=SC2086 # several words
    $cc $warnings -c '9 strange-name.c' -o it.o > log 2>&1
    is "a strange model by $cc" "$? $(cat log)" '0 '
done
succeeds compile "$pendulum" -o x.c --prefix Robot_arm
is 'a prefix' "$(grep -c '^#define ROBOT_ARM_STEP 0.01 ' x.h) $(grep -c 'Robot_arm_step(' x.h)" '1 2'

# ---- what cannot be written: one line, status 2, nothing written ----
refused() {
    pattern=$1
    shift
    rm -f no.c no.h
    run "$@"
    is "status of: taut $*" "$status" 2
    is "one line of: taut $*" "$(wc -l < err | tr -d ' ') $(grep -ce "$pattern" err)" '1 1'
    is "files of: taut $*" "$(ls no.c no.h no.c.part 2> /dev/null)" ""
}
refused 'with contacts cannot be written as C' compile "$models/bouncing-ball.lua" -o no.c
refused 'take rk4' compile "$pendulum" -m naive:rkf45 -o no.c
refused 'take rk4' compile "$pendulum" -m dirac:midpoint -o no.c
refused 'leave out project=' compile "$pendulum" -m dirac:rk4,project=both -o no.c
refused 'take em without project' compile "$pendulum" -m em:project -o no.c
refused 'take rattle or lobatto' compile "$models/rigid-body.lua" -m em -o no.c
refused 'too long for straight-line code' compile "$models/hanging-chain.lua" -D N=1000 -o no.c
refused 'needs -o' compile "$pendulum"
refused 'does not end in .c' compile "$pendulum" -o no.cpp
refused 'does not end in .c' compile "$pendulum" -o .c
refused 'needs one model file' compile -o no.c
refused 'cannot begin names of C' compile "$pendulum" -o no.c --prefix 9a
refused 'cannot begin names of C' compile "$pendulum" -o no.c --prefix 'a b'
refused 'positive number' compile "$pendulum" -o no.c -s 0
refused 'from 0 to less than 0.1' compile "$pendulum" -o no.c --tol 1
refused 'strict or project' compile "$pendulum" -o no.c --start as-is
refused 'has no param' compile "$pendulum" -o no.c -D nothing=1
refused "there is no method 'nothing'" compile "$pendulum" -o no.c -m nothing
refused 'has no option --precision' compile "$pendulum" -o no.c --precision quad
refused 'cannot write' compile "$pendulum" -o nowhere/no.c
refused 'more than single precision holds' compile "$pendulum" -D m=1e300 --float -o no.c
# ---- a disk that is full: neither file appears, and those that were there stay ----
mkdir full && cd full
echo old > it.h
(ulimit -f 1 && exec "$taut" compile "$models/water.lua" -o it.c) > ../out 2>&1
is "exit status on a full disk" $? 1
cd ..
has 'the message' 'cannot write it.[ch]: File too large'
is "files on a full disk" "$(ls full) $(cat full/it.h)" "it.h old"
succeeds compile --help
has 'the help' '^usage: taut compile MODEL -o FILE.c'
finish 100
