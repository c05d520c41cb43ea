#!/bin/sh
# verify.sh TAUT MODELS: taut converge and taut verify, from outside.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

# ok ARGUMENTS..: as succeeds; lines of 80 columns unless --csv
ok() {
    succeeds "$@"
    case " $* " in *" --csv "*) ;; *) is "long lines of: taut $*" "$(awk 'length > 80' out)" "" ;; esac
}

# bad TEXT ARGUMENTS..: status 2, one line on stderr with the text, nothing on stdout
bad() {
    text=$1
    shift
    "$taut" "$@" > out 2> err < /dev/null
    is "exit status of: taut $*" "$?" 2
    is "stdout of: taut $*" "$(cat out)" ""
    is "lines on stderr of: taut $*" "$(wc -l < err | tr -d ' ')" 1
    grep -qF -- "$text" err || is "stderr of: taut $*" "$(cat err)" "$text"
}

# orders COLUMN..: are all but the first of these columns of the table within 0.1 of 2?
orders() {
    for column in "$@"; do
        cut -d, -f"$column" out | awk -v c="$column" 'NR == 2 && $0 != "" { print "first order in column " c ": " $0 }
            NR > 2 && !($0 > 1.9 && $0 < 2.1) { print "column " c ": " $0 }'
    done
}

# ---- converge ----
ok converge "$double" -m rattle --steps 0.05,0.025,0.0125 -T 1
has converge '^Double spherical pendulum$'
has converge 'method rattle .* t = 1 '
has converge 'reference: equations of motion by extrapolation, tolerance .*e-'
has converge 'its error: q .*e-.*, p .*e-.*, lambda .*e-.* (compared with tolerance '
has converge 'step  *error q  order  *error p  order  *error lambda  order'
is 'rows of converge' "$(grep -c '^ *0\.0[0-9]* ' out)" 3
ok converge "$double" --steps=0.05,0.025,0.0125 --until 1 --csv
is 'header of converge --csv' "$(head -1 out)" 'step,steps,error_q,order_q,reference_error_q,limited_q,error_p,order_p,reference_error_p,limited_p,error_lambda,order_lambda,reference_error_lambda,limited_lambda'
is 'steps of converge --csv' "$(cut -d, -f2 out | tail -n +2 | tr '\n' ' ')" '20 40 80 '
is 'orders of converge' "$(orders 4 8 12)" ''
is 'limited rows' "$(cut -d, -f6,10,14 out | tail -n +2 | sort -u)" '0,0,0'
cp out by-flow
# ratios of 2.5, 4 and 1/2
ok converge "$double" --steps 0.05,0.02,0.005,0.01 -T 1 --csv
is 'orders of steps that are not halved' "$(orders 4 8 12)" ''
is 'numbers of steps that are not halved' "$(cut -d, -f2 out | tail -n +2 | tr '\n' ' ')" '20 50 200 100 '
ok converge "$double" --steps 0.05,0.025,0.0125 -T 1 --csv --reference rattle,0.0005
is 'orders against a method' "$(orders 4 8 12)" ''
is 'errors against a method and against the exact flow' \
    "$(paste -d, by-flow out | awk -F, 'NR > 1 && ($3/$17 > 1.01 || $3/$17 < 0.99) { print }')" ''
ok converge "$double" --steps 0.05,0.025 -T 1 --reference rattle,0.05
has 'a poor reference' 'reference: rattle with step 0.025'
has 'a poor reference' '[0-9]~'
has 'a poor reference' '~ near the reference'
# the reference is off by three times the error of its finer step, 0.01: nothing here stands clear of that
ok converge "$double" --steps 0.04,0.005 -T 1 --reference rattle,0.02 --csv
is 'limited by the reference' "$(cut -d, -f6,10,14 out | tail -n +2 | sort -u)" '1,1,1'
is 'orders that are limited' "$(cut -d, -f4,8,12 out | tail -n +2 | sort -u)" ',,'
ok converge "$models/henon-heiles.lua" --steps 0.2,0.1 -T 2 --csv
is 'no multipliers, no columns' "$(head -1 out)" 'step,steps,error_q,order_q,reference_error_q,limited_q,error_p,order_p,reference_error_p,limited_p'
if [ $quad = yes ]; then
    ok converge "$pendulum" --steps 0.1,0.05 -T 1 --precision quad
    has 'converge in quad' 't = 1   quad'
    # order 10: at 0.05 the error is round-off of double, which the reference in quad shows
    ok converge "$pendulum" -m lobatto:s=6 --steps 0.2,0.05 -T 1 --csv
    is 'limited by round-off' "$(cut -d, -f6,10 out | tail -n +2 | tr '\n' ' ')" '0,0 1,1 '
    is 'no order from round-off' "$(cut -d, -f4,8 out | tail -n 1)" ','
fi
"$taut" converge "$double" --steps 8,0.125 -T 8 --reference rattle,0.0625 > out 2> err
is 'a step that fails: exit status' "$?" 1
has 'a step that fails' '^ *8 *failed'
has 'a step that fails' '^ *0.125  *[0-9]'
is 'a step that fails: stderr' "$(grep -c '^taut: step 8: at t = ' err)" 1

bad "the step 0.3 does not divide the end time 1" converge "$pendulum" --steps 0.1,0.3 -T 1
bad "needs --steps" converge "$pendulum" -T 1
bad "needs an end time" converge "$pendulum" --steps 0.1
bad "not 'x'" converge "$pendulum" --steps 0.1,x -T 1
bad "needs positive numbers" converge "$pendulum" --steps 0.1,-0.1 -T 1
bad "at least one step" converge "$pendulum" --steps '' -T 1
bad "end time must be a positive number" converge "$pendulum" --steps 0.1 -T -1
bad "--reference is METHOD,h" converge "$pendulum" --steps 0.1 -T 1 --reference rattle
bad "the reference's step 0.3 does not divide" converge "$pendulum" --steps 0.1 -T 1 --reference rattle,0.3
bad "there is no method 'nothing'" converge "$pendulum" --steps 0.1 -T 1 --reference nothing:a=1,b,0.1
bad "this model has contacts; give a method instead: --reference METHOD,h" converge "$models/bouncing-ball.lua" --steps 0.1 -T 1
bad "there is no method 'nothing'" converge "$pendulum" -m nothing --steps 0.1 -T 1
bad "needs one model file" converge --steps 0.1 -T 1
bad "no option --nothing" converge "$pendulum" --nothing
bad "--precision is double or quad" converge "$pendulum" --steps 0.1 -T 1 --precision half
bad "the model has no param" converge "$pendulum" --steps 0.1 -T 1 -D nothing=1

# ---- verify ----
for model in double-spherical-pendulum triple-pendulum; do
    ok verify "$models/$model.lua" -m rattle -s 0.02 -T 20
    has "verify $model" 'method rattle   step 0.02$'
    has "verify $model" 'order in q  *2  *2\.0.* holds$'
    has "verify $model" 'order in p  *2  *2\.0.* holds$'
    has "verify $model" 'symplectic  *yes  *defect .* holds$'
    has "verify $model" 'energy  *no .* not kept$'
    has "verify $model" 'reversible  *yes .* holds$'
    has "verify $model" 'position g = 0  *yes .* holds$'
    has "verify $model" 'velocity dg/dt = 0  *yes .* holds$'
done
has 'no symmetry' 'momenta  *yes  *-  *not applicable$'
ok verify "$double" -s 0.02 -T 4 --csv
is 'header of verify --csv' "$(head -1 out)" 'property,declared,measured,limit,verdict,note'
is 'verdicts' "$(cut -d, -f1,5 out | grep -c ',holds$')" 7
if [ $quad = yes ]; then
    is 'the defect in quad is below 1e-26' "$(awk -F, '$1 == "symplectic" { print ($3 < 1e-26) }' out)" 1
fi
ok verify "$double" -s 0.02 -T 4 --precision double
has 'verify in double' '200 steps in double, which hides small defects; '
# velocities off the constraints, and a start at rest: the motion says how large rounding errors are, not the start
ok verify "$models/triple-pendulum.lua" -m em -s 0.01 -T 1 --precision double
has 'verify em in double' 'reversible  *yes .* holds$'
ok verify "$models/driven-pendulum.lua" -s 0.001 -T 1
has 'time' 'energy  *no  *-  *not applicable'
has 'time' 'energy: the model does not conserve it: it depends on time'
ok verify "$pendulum" -T 2
has 'a chosen step' 'step 0\.[0-9]* (chosen)'
ok verify "$pendulum" -s 0.02 -T 2 -D g=1.6

# drift or not. Two swings of a symplectic method: the means have a slope, a quarter of the scatter that is asked for. The heavy top under
# Runge-Kutta loses its energy in one turn and then none for a while: its slope is 1.7 times what is asked for, but not in both halves.
trend() { awk -F, '$1 == "energy trend" { print $5 }' out; }
ok verify "$pendulum" -s 0.01 -T 6 --precision double --csv
is 'a slope below the scatter' "$(trend)" 'no trend'
run verify "$models/heavy-top.lua" -m dirac:rk4 -s 0.01 -T 14 --precision double --csv
is 'a slope in one half' "$(trend)" 'no trend'
run verify "$pendulum" -m dirac:rk4 -s 0.1 -T 100 --precision double --csv
is 'a slope throughout' "$(trend)" 'drifts'
# at rest in the origin there is no size to measure by, and nothing moves
cat > rest.lua << 'END'
local x = coordinate "x"
lagrangian(x.dot^2/2 - x^2/2)
start { x = 0 }
END
ok verify rest.lua -s 0.1 -T 5
has 'a model at rest' 'reversible  *yes  *0.0e+00 after 50 steps and back  *holds$'
# what grows by e^50 comes back from no journey in double: that decides nothing, and is no success
cat > fall.lua << 'END'
local x = coordinate "x"
lagrangian(x.dot^2/2 + 50*x^2)
start { x = 1e-30 }
END
run verify fall.lua -s 0.1 -T 5 --precision double
is 'exit status of what could not be decided' "$status" 1
has 'undecided' 'reversible  *yes .* undecided$'
is 'stderr of what could not be decided' "$(cat err)" 'taut: rattle on fall.lua: 1 could not be decided'

# methods that leave the manifold
ok verify "$pendulum" -m extended:rk4 -s 0.1 -T 30
for kind in error energy position velocity; do has 'growth' "^  $kind growth  *-  *as t^[0-9.]*, to .* measured\$"; done
has 'Floquet multipliers' '^  manifold  *-  *trace 1\.97774[0-9]*, det 1\.0000000  *measured$'
# g, dg/dt and the energy of this model are quadratic, which Gauss methods keep: what is left is round-off, and has no exponent
ok verify "$pendulum" -m dirac:gauss,s=3 -s 0.02 -T 10
has 'growth of an error' '^  error growth  *-  *as t^[0-9.]*, to .* measured$'
for kind in energy position velocity; do has 'growth of round-off' "^  $kind growth  *-  *to [0-9.]*e-[0-9]*  *round-off\$"; done
has 'a trend of round-off' '^  energy trend  *-  *[-+].* round-off$'
ok verify "$pendulum" -m dirac:rk4 -s 0.1 -T 1
for kind in error energy position velocity; do has 'growth in 10 steps' "^  $kind growth  *-  *to [0-9.]*e-0[45]  *run too short\$"; done
ok verify "$pendulum" -m dirac:rkf45 -s 0.5 -T 10 --period 3.31327634047319
has 'steps of its own' '^  order  *5  *-  *not applicable$'
has 'a period given' '^  manifold  *-  *trace 2\.0000000, det 1\.0000000  *measured$'
# naive: phi' = psi and psi' = 0, so that (phi, psi) goes to (phi + T psi, psi): 1 + T is the largest sum of a row
ok verify "$pendulum" -m naive:rk4 -s 0.1 -T 2 --period 3.31327634047319
tr -s ' \n' ' ' < out > line && mv line out
has 'the largest residual' 'Floquet .* a residual is at most 4\.313 times the largest before'
# ten periods: phi and psi have almost changed places, and the determinant is 1 as ever
ok verify "$pendulum" -m extended:rk4 -s 0.1 -T 2 --period 33.1327634047319
has 'ten periods' '^  manifold  *-  *trace 0\.15[0-9]*, det \(1\.000\|0\.999\)[0-9]*  *measured$'
# two pendulums that stand on their heads, at rest: phi'' = phi and phi'' = 4 phi; the largest multiplier is the first
cat > upright.lua << 'END'
local a, b = point("a", 2), point("b", 2)
lagrangian(norm2(a.dot)/2 - a.y + norm2(b.dot)/2 - 4*b.y)
constraint("rod", (norm2(a) - 1)/2)
constraint("bar", (norm2(b) - 1)/2)
start { a = {0, 1}, b = {0, 1} }
END
ok verify upright.lua -m extended:rk4 -s 0.05 -T 1 --period 1
has 'multipliers in order' 'Floquet multipliers 7\.38905[0-9]*, 2\.71828[0-9]*, 0\.36787[0-9]*, 0\.13533'
bad "the period must be a positive number" verify "$pendulum" -m dirac --period 0

"$taut" verify "$double" -s 3 -T 9 > out 2> err
is 'a step that fails: exit status' "$?" 1
is 'a step that fails: stdout' "$(cat out)" ''
is 'a step that fails: stderr' "$(grep -c '^taut: at t = ' err)" 1
bad "the step must be a positive number" verify "$pendulum" -s 0
bad "the end time must be a positive number" verify "$pendulum" -T -1
bad "before the end of the first step" verify "$pendulum" -s 1 -T 0.1
bad "needs one model file" verify
bad "there is no method 'nothing'" verify "$pendulum" -m nothing
bad "--precision is double or quad" verify "$pendulum" --precision half
bad "--start is strict or project" verify "$pendulum" --start nowhere
bad "needs a number" verify "$pendulum" -s fast

# ---- threads ----
# same ARGUMENTS..: the same bytes with three threads as with one, and all is well
same() {
    ok "$@"
    mv out one && mv err one_err
    ok "$@" --threads 3
    is "three threads: taut $*" "$(cat out)" "$(cat one)"
    is "three threads, stderr: taut $*" "$(cat err)" "$(cat one_err)"
}
same converge "$double" -m lobatto:s=3 --steps 0.05,0.025,0.0125 -T 0.5 --csv
same converge "$models/damped-pendulum.lua" -D c=0.3 --steps 0.05,0.025 -T 0.5 --reference rattle,0.001 --csv
same verify "$pendulum" -m dirac:rk4 -s 0.1 -T 10
same verify "$double" -m em -s 0.02 -T 1 --precision double --csv
"$taut" converge "$double" --steps 4,0.125 -T 8 > one 2> one_err
"$taut" converge "$double" --steps 4,0.125 -T 8 --threads 3 > out 2> err
is 'three threads: exit status of a step that fails' "$?" 1
is 'three threads: a step that fails' "$(cat out err)" "$(cat one one_err)"
bad "--threads is a whole number" converge "$pendulum" --steps 0.1 -T 1 --threads 0
bad "--threads is a whole number" verify "$pendulum" --threads many

# constraints that depend on each other: said once, and the reference takes as many as are independent
"$taut" converge "$models/bricard.lua" --steps 0.02,0.01 -T 0.2 --csv > out 2> err
is 'exit status of converge with redundant constraints' $? 0
is 'notes of converge with redundant constraints' "$(grep -c 'are one choice of many' err)" 1
is 'orders with redundant constraints' "$(orders 4 8)" ''
mv out one && mv err one_err
"$taut" converge "$models/bricard.lua" --steps 0.02,0.01 -T 0.2 --csv --threads 3 > out 2> err
is 'redundant constraints in three threads' "$(cat out err)" "$(cat one one_err)"
# without one of them, not the right one: the rest comes to depend on each other on the way
{ printf '%s\n' 'local keep = constraint' \
    'constraint = function(n, e) if n ~= "j3u" then return keep(n, e) end end'; cat "$models/bricard.lua"; } > less.lua
"$taut" converge less.lua --steps 0.02,0.01 -T 1.4 > out 2> err
is 'exit status of converge in a singular position' $? 1
is 'stdout of converge in a singular position' "$(cat out)" ''
is 'the reference in a singular position' "$(grep -c 'the reference: at t = 1.24.*come to depend on each other' err)" 1
is 'the rows in a singular position' "$(grep -c '^at t = 1.2.*come near to depending on each other' err)" 1
"$taut" run less.lua -s 0.02 -T 1.4 > out 2> err
is 'exit status of run in a singular position' $? 0
is 'notes of run in a singular position' "$(grep -c '^at t = 1.2.*come near to depending on each other' err)" 1

# constraints on velocities
sleigh=$models/nonholonomic/sleigh.lua
for method in rattle lobatto:s=3 del em em:project compose:em,order=4 naive; do
    ok verify "$sleigh" -m $method
    has "verify -m $method" '^  symplectic  *no  *-  *not applicable$'
    has "verify -m $method" '^  position g = 0  *[a-z]*  *-  *not applicable$'
    has "verify -m $method" '^  symplectic: constraints on velocities: the motion itself keeps no such form$'
done

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
