#!/bin/sh
# behaviour.sh TAUT MODELS: what the command does when all is well.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

ok() { succeeds "$@"; }
column() { cut -d, -f"$1" out | tail -n +2 | tr '\n' ' '; }

# ---- help and catalogue ----
ok --version
is '--version' "$(sed 's/[0-9][0-9.]*/N/; s/, quad//' out)" 'taut N (precision: double)'
ok --help
for command in run resume export compare check converge verify methods; do
    grep -q "taut $command" out || is 'taut --help' "no $command" "$command"
done
cp out general
ok
is 'taut without arguments is taut --help' "$(cat out)" "$(cat general)"
for command in run resume export compare check converge verify methods; do
    ok $command --help
    cp out long
    has "taut $command --help" "^usage: taut $command"
    ok $command -h
    is "$command -h is $command --help" "$(cat out)" "$(cat long)"
    ok help $command
    is "help $command is $command --help" "$(cat out)" "$(cat long)"
done
ok run --help
for option in --method --step --until --output --force --csv --every --define --precision --tol --start --native --threads; do has 'taut run --help' " $option"; done
ok methods
has 'taut methods' '^rattle *order 2'
has 'taut methods' '^lobatto'
ok methods rattle
has 'taut methods rattle' 'order *2'
has 'taut methods rattle' 'symplectic *yes'
has 'taut methods rattle' 'energy *no'
has 'taut methods rattle' 'equations'

ok methods euler
has 'taut methods euler' 'does not converge to the solution'
ok methods compose
has 'taut methods compose' 'kahan-li  *2  *6: 9, 8: 17'

# ---- euler:natural warns where it does not converge ----
run run "$models/papers/jay-simeon-4.1.lua" -m euler:natural -s 0.1 -T 0.5
is 'status of natural' "$status" 0
is 'warning of natural' "$(grep -c 'euler:natural is inconsistent on this model' err)" 1
run run "$models/papers/jay-simeon-4.1.lua" -m compose:euler:natural,order=2 -s 0.1 -T 0.5
is 'warning of natural, told once of two parts' "$(grep -c 'euler:natural is inconsistent on this model' err)" 1
ok run "$models/papers/jay-simeon-4.1.lua" -m euler -s 0.1 -T 0.5
ok run "$double" -m euler:natural -T 0.1

# ---- energies that grow for good reasons are no failure ----
# from rest, where the first step of a method of order 1 is all error, for 1e4 times that energy and more
printf '%s\n' 'local x = coordinate "x"; lagrangian(x.dot^2/2 + x); start { x = 0 }' > fall.lua
# an oscillator at its resonance; one that lies still but for 1e-9 until a force sets in; a spring that is wound up
printf '%s\n' 'local x = coordinate "x"; lagrangian(x.dot^2/2 - x^2/2); force(x, sin(time())); start { x = 1e-3 }' > resonance.lua
printf '%s\n' 'local x = coordinate "x"; lagrangian(x.dot^2/2 - x^2/2)
force(x, max(0, time() - 5)); start { x = 1e-9 }' > late.lua
printf '%s\n' 'local x = coordinate "x"; lagrangian(x.dot^2/2 - exp(time()/5)*x^2/2); start { x = 1e-6 }' > wound.lua
for method in rattle em euler euler:natural dirac:rk4 lobatto galerkin:LGL,m=2 del; do
    for model in fall resonance late wound; do ok run $model.lua -m $method -s 0.05 -T 20; done
done
ok run fall.lua -m euler -s 0.001 -T 1000

# ---- print of a model, each time ----
printf '%s\n' 'local q = coordinate "q"; lagrangian(q.dot^2/2); for i = 1, 3 do print(q) end' > printing.lua
run run printing.lua -T 0.1
is 'lines of print' "$(grep -c '^q$' err)" 3

# ---- check: every model that comes with Taut (the one with a gauge freedom is in errors.txt) ----
for model in "$models"/*.lua "$models"/papers/*.lua; do
    case $model in */dirac-first-class.lua) continue ;; esac
    ok check "$model"
    has "taut check $model" 'freedom '
done
ok check "$double"
has 'check double-spherical-pendulum' 'freedom *4 degrees'
has 'check double-spherical-pendulum' 'conserved *energy, angular_momentum.z'
has 'check double-spherical-pendulum' '4 values found from the constraints'
has 'check double-spherical-pendulum' 'methods *rattle'

# ---- check: the Dirac algorithm ----
ok check "$models/papers/dirac-second-class.lua"
has 'check dirac-second-class' 'primary *chi1 = p.q2   second class'
has 'check dirac-second-class' 'secondary *chi2 = q1^2 - q2   second class'
has 'check dirac-second-class' 'multiplier *u1 = 2\*q1\*p.q1$'
has 'check dirac-second-class' 'methods *dirac$'
ok check "$models/pendulum.lua"
has 'check pendulum' '{F,G}\* = {F,G} + m\*({F,chi1}{chi2,G} - {F,chi2}{chi1,G})/(a.x^2 + a.y^2)$'
ok check "$models/hanging-chain.lua"
is 'no Dirac algorithm for large models unasked' "$(grep -c Dirac out)" 0
ok check "$models/double-spherical-pendulum.lua" --dirac
has 'check --dirac' 'lambda.rod1 = (.*)/('
ok run "$models/papers/dirac-second-class.lua" -m dirac:gauss,s=4 -s 0.1 -T 1 --csv --every 10
is 'columns on phase space' "$(head -1 out)" 't,q1,q2,q1.dot,q2.dot,p.q1,p.q2,energy,constraint,velocity_constraint,secondary'
has 'cos 1' '^1,0.5403023058681'
ok run "$models/point-vortices.lua" -m dirac:gauss -s 0.1 -T 10
has 'vortices' ' constraints *at most '

# ---- run ----
ok run "$double" -T 1
has 'summary' '^Double spherical pendulum$'
has 'summary' ' energy .* slope '
has 'summary' ' constraints *at most [0-9.]*e-1[3-9]$'
has 'summary' ' angular_momentum.z .* changed by at most [0-9.]*e-1[2-9]$'

ok run "$double" -T 0.1 -s 0.01 --csv
is 'columns of the double spherical pendulum' "$(head -1 out)" \
    't,a.x,a.y,a.z,b.x,b.y,b.z,a.x.dot,a.y.dot,a.z.dot,b.x.dot,b.y.dot,b.z.dot,p.a.x,p.a.y,p.a.z,p.b.x,p.b.y,p.b.z,lambda.rod1,lambda.rod2,energy,constraint,velocity_constraint,angular_momentum.z'
is 'frames of 10 steps' "$(wc -l < out | tr -d ' ')" 12
is 'fields of every line' "$(awk -F, '{ print NF }' out | sort -u)" 25
is 'start value given' "$(sed -n 2p out | cut -d, -f2)" 2.8199999999999998
# A number that was read and is printed again with 17 digits is the same text.
is 'values round-trip' "$(tail -n +2 out | awk -F, '{ for (i = 1; i <= NF; i++) if (sprintf("%.17g", $i) != $i) print $i }')" ''
for m in "$models"/driven-pendulum.lua "$models"/papers/jay-simeon-4.1.lua "$models"/henon-heiles.lua; do
    ok run "$m" -T 0.01 -s 0.001 --csv
    is "whole lines: $m" "$(awk -F, '{ print NF }' out | sort -u | wc -l | tr -d ' ')" 1
done
ok run "$models/papers/jay-simeon-4.1.lua" -T 0.1 --csv
is 'columns of a rate model: no energy' "$(head -1 out)" \
    't,y1,y2,y1.dot,y2.dot,p.y1,p.y2,lambda.g,constraint,velocity_constraint,error_y1,error_y2,error_psi'
ok run "$models/four-particles.lua" -T 0.01 -s 0.005 --csv
is 'symmetries before observables' "$(head -1 out | cut -d, -f43-)" \
    'momentum.x,momentum.y,momentum.z,angular_momentum.x,angular_momentum.y,angular_momentum.z,spring1,spring2'

# ---- em ----
ok methods em
has 'taut methods em' 'energy *yes'
has 'taut methods em' 'symplectic *no'
has 'taut methods em' '  project '
ok run "$models/four-particles.lua" -m em -s 0.01 -T 1
has 'em keeps the energy' ' energy .*error [-+][0-9.]*\(e-1[4-9]\)* .. [-+][0-9.]*\(e-1[4-9]\)*, slope'
has 'em and dg/dt' ' velocity constraints *at most [0-9.]*e-0[4-9]$'
ok run "$models/four-particles.lua" -m em:project -s 0.01 -T 1
has 'em:project and dg/dt' ' velocity constraints *at most [0-9.]*e-1[4-9]$'
ok run "$models/damped-pendulum.lua" -m em -s 0.01 -T 1
has 'balance of em' ' energy balance *work -.*; energy - work changed by at most [0-9.]*e-1[4-9]$'
ok run "$models/damped-pendulum.lua" -s 0.01 -T 1
has 'balance of rattle' ' energy balance *work -.*; energy - work changed by at most '
ok run "$models/driven-pendulum.lua" -m em -s 0.001 -T 0.002 --csv
is 'columns of em' "$(head -1 out | cut -d, -f8-)" \
    'lambda.rod,energy,work,constraint,velocity_constraint,angle,tension,t_mid,lambda_mid.rod'
is 'the middle of the last step' "$(tail -1 out | cut -d, -f15)" 0.0015

# The same value comes back from -D to the table, to the last digit.
value=0.12345678901234568
ok run "$here/echo.lua" -D x=$value -T 0.1 -s 0.1 --csv
is '-D to the table and back' "$(sed -n 2p out | cut -d, -f2)" $value
if [ $quad = yes ]; then
    ok run "$double" -T 0.06 -s 0.03 --csv --precision quad
    is 'start value in quad' "$(sed -n 2p out | cut -d, -f2)" 2.82
    value=$(sed -n 3p out | cut -d, -f2)
    is 'digits of a value in quad' "$(printf %s "$value" | tr -dc 0-9 | wc -c | tr -d ' ')" 34
    ok run "$here/echo.lua" -D x="$value" -T 0.1 -s 0.1 --csv --precision quad
    is '-D to the table and back in quad' "$(sed -n 2p out | cut -d, -f2)" "$value"
    is 'observable in quad' "$(sed -n 2p out | sed 's/.*,//')" "$value"
fi

# ---- steps and frames ----
henon=$models/henon-heiles.lua
ok run "$henon" -s 0.5 -T 5 --csv --every 4
is 'every 4th of 10 steps, and the last' "$(column 1)" '0 2 4 5 '
ok run "$henon" -s 0.5 -T 4 --csv --every 4
is 'every 4th of 8 steps' "$(column 1)" '0 2 4 '
ok run "$henon" -s 0.25 -T 0.5 --csv --every 1000
is 'fewer steps than --every' "$(column 1)" '0 0.5 '
for pair in 0.03,0.1 0.3,7.7 0.07,100.3 0.7,0.2 0.25,1.125 0.1,0.35; do
    step=${pair%,*} end=${pair#*,}
    for precision in double quad; do
        [ $precision$quad = quadno ] && continue
        ok run "$henon" -s "$step" -T "$end" --csv --precision $precision
        # exactly the end: the number nearest to it, in the format of the table
        expected=$end
        [ $precision = double ] && expected=$(awk "BEGIN { printf \"%.17g\", $end }")
        is "a last step that is shorter ends at T=$end ($precision)" "$(tail -1 out | cut -d, -f1)" "$expected"
    done
done
ok run "$pendulum" -s 0.001 -T 1
has 'summary' 't = 0 .. 1  .* 1000 steps'

# ---- the same bytes ----
for precision in double quad; do
    [ $precision$quad = quadno ] && continue
    for model in "$double" "$models/triple-pendulum.lua" "$models/rigid-body.lua"; do
        ok run "$model" -T 0.5 --csv --precision $precision
        cp out first
        ok run "$model" -T 0.5 --csv --precision $precision
        is "twice the same bytes: $model ($precision)" "$(cksum < out)" "$(cksum < first)"
    done
done
ok run "$double" -T 0.5 --csv --every 1
sed -n '1p;12p;22p;32p;42p;52p' out > first
ok run "$double" -T 0.5 --csv --every 10
sed 2d out > second
is 'a frame does not depend on how often frames are taken' "$(cksum < second)" "$(cksum < first)"

# ---- settings ----
ok run "$pendulum" -D l=2 -T 0.1 --csv
is '-D l=2' "$(sed -n 2p out | cut -d, -f2)" 2
ok run "$pendulum" -Dl=2 --define g=3 -T 0.1 --csv
is 'two settings: energy m v^2/2 at height 0' "$(sed -n 2p out | cut -d, -f9)" 2
ok run "$pendulum" -D m=1 -D m=5 -T 0.1 --csv
is 'the last -D wins' "$(sed -n 2p out | cut -d, -f9)" 10
ok run "$models/hanging-chain.lua" -D N=3 -T 0.1 --csv
is '-D of an option: 9 coordinates' "$(head -1 out | tr ',' '\n' | grep -c '^a[0-9]\.[xyz]$')" 9
ok check "$models/hanging-chain.lua" -D N=3
has 'check -D N=3' 'coordinates *9'
ok run --step=0.1 --until=0.2 --method=rattle --csv -- "$pendulum"
is 'long names, and -- before the model' "$(column 1)" '0 0.10000000000000001 0.20000000000000001 '
cp "$pendulum" './-odd name.lua'
ok run -T 0.1 -- '-odd name.lua'
has 'a name with a dash and a space' '^Pendulum'
ok run "$pendulum" -T 1 --tol 1e-6
has '--tol' ' constraints *at most'

# ---- a start off the constraints: (2,0) on a circle of radius 1 goes to (1,0) ----
ok run "$here/bad-models/inconsistent-start.lua" --start project -T 1
has '--start project' 'moved onto the constraints: positions by 1, velocities by 0'
ok run "$here/bad-models/inconsistent-start.lua" --start project -T 1 --csv
is '--start project' "$(sed -n 2p out | cut -d, -f2,3)" 1,0
ok check "$here/bad-models/inconsistent-start.lua" --start project
has 'check --start project' 'moved onto the constraints: positions by 1, velocities by 0'

# ---- a run that fails keeps what it has ----
run run "$here/bad-models/runs-away.lua" --csv
is 'status of a run that fails' $status 1
is 'header, start and the 104 good frames' "$(wc -l < out | tr -d ' ')" 106
is 'the last good frame' "$(tail -1 out | cut -d, -f1)" 1.04

# ---- a singular position on the way: a parallelogram in line, which rattle meets exactly with this step ----
cat > parallelogram.lua << 'END'
local a, b = point('a', 2), point('b', 2)
lagrangian((norm2(a.dot) + norm2(b.dot))/2)
constraint('crank', norm2(a) - 1)
constraint('coupler', norm2(b - a) - 4)
constraint('rocker', norm2(b - {2, 0}) - 1)
start { a = {0, -1}, b = {2, -1}, ['a.dot'] = {1, 0}, ['b.dot'] = {1, 0} }
END
sed "s/^start .*/start { a = {1, 0}, b = {3, 0}, ['a.dot'] = {0, 1}, ['b.dot'] = {0, 1} }/" parallelogram.lua > flat.lua
for method in rattle shake lobatto lobatto:s=2 del galerkin galerkin:LLL,m=3 em euler naive extended dirac compose; do
    # whatever becomes of it, frames change nothing: the exit status, the message, the energy
    run run parallelogram.lua -m $method -s 0.5 -T 3
    without=$status
    sed 's/ steps in .*//' out > out.without
    cp err err.without
    run run parallelogram.lua -m $method -s 0.5 -T 3 -o parallelogram.taut --force
    is "exit with frames: $method" $status $without
    is "message with frames: $method" "$(sed 's/;* *[^;]*parallelogram.taut.*//' err)" "$(cat err.without)"
    is "summary with frames: $method" "$(grep energy out)" "$(grep energy out.without)"
    [ $without -eq 0 ] || is "why it stopped: $method" "$(grep -c 'singular' err)" 1
    # with other steps it is passed, and what the method keeps is kept
    ok run parallelogram.lua -m $method -s 0.1 -T 3 -o parallelogram.taut --force
    is "energy across the singular position: $method" "$(awk '/^  energy/ { print ($4 < 1.01 && $2 > 0.99) }' out)" 1
    # it is no start
    run run flat.lua -m $method -s 0.1 -T 3
    is "exit of a singular start: $method" $status 2
    is "message of a singular start: $method" "$(grep -c 'the start is a singular position' err)" 1
done

# ---- a quaternion that starts at zero: found at once, and named ----
printf '%s\n' "local q = rotation 'q'; lagrangian(norm2(q.dot)/2); start { q = {0, 0, 0, 0} }" > zero.lua
printf '%s\n' "local a, b, c, d = coordinate 'a', coordinate 'b', coordinate 'c', coordinate 'd'
lagrangian((a*b.dot - b*a.dot + c*d.dot - d*c.dot)^2/2 - c); constraint('unit', a^2 + b^2 + c^2 + d^2 - 1)
start { a = 0, b = 0, c = 0, d = 0 }" > zeros.lua # singular: through the Dirac algorithm
for model in zero zeros; do
    (TAUT_LOAD_SECONDS=20 && export TAUT_LOAD_SECONDS && exec "$taut" run $model.lua -T 0.1) > out 2> err
    is "exit of a quaternion of zeros: $model" $? 2
done
is 'the quaternion' "$(grep -c '^taut: zeros.lua:2: the start is not on the constraints, .* a^2 + b^2 + c^2 + d^2 - 1 is -1 there' err)" 1
run run zero.lua -T 0.1
is 'the rotation' "$(grep -c "^taut: zero.lua:1: the start positions are inconsistent: constraint 'q' misses by -1" err)" 1

# ---- nowhere to write ----
if [ -c /dev/full ]; then
    for arguments in "run $pendulum -T 1" "run $pendulum -T 1 --csv" "run $pendulum -T 0.01 --csv" "check $pendulum" methods \
        'methods rattle' --help 'run --help' --version; do
        # shellcheck disable=SC2086 # words of the arguments
        "$taut" $arguments > /dev/full 2> err
        is "status with a full disk: taut $arguments" $? 1
        is "message with a full disk: taut $arguments" "$(grep -c '^taut: .*cannot write to standard output: No space left on device' err)" 1
        is "lines with a full disk: taut $arguments" "$(wc -l < err | tr -d ' ')" 1
    done
fi

# ---- naive, extended, dirac ----
off=$here/bad-models/inconsistent-start.lua # g = 3
ok run "$off" -m dirac:gauss --start as-is -s 0.1 -T 2 --csv
is 'dirac stays where it was' "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "constraint") k = i; next }
    $k < 2.999999999999 || $k > 3.000000000001 { bad++ } END { print NR, bad + 0 }' out)" '22 0'
ok run "$pendulum" -m dirac:rk4,project=both -s 0.1 -T 10
has 'work in the summary' '^  evaluations  *400 of the equations of motion$'
has 'projections in the summary' '^  projections  *[0-9]* of positions, [0-9]* of momenta, in [0-9]* steps$'
ok methods dirac
has 'taut methods dirac' 'project  *none|position|momentum|both'

# momenta that the constraints of phase space give: p.x = -y, p.y = x
cat > free.lua << 'END'
local x, y = coordinate "x", coordinate "y"
hamiltonian(momentum(x)^2/2 + x^2/2)
constraint("a", momentum(y) - x)
constraint("b", y + momentum(x))
start { x = 1, y = 2, ["p.x"] = free(), ["p.y"] = free() }
END
succeeds run free.lua -m dirac:gauss -T 0.1 --csv
is 'free momenta' "$(awk -F, 'NR == 2 { printf "%.9f %.9f", $6, $7 }' out)" '-2.000000000 1.000000000'

# ---- texts of strangers on a terminal: no sequence of theirs reaches it ----
cat > strange.lua << 'END'
local x = coordinate "x"
lagrangian(x.dot^2/2)
start { x = 0 }
print("\27]0;title\7 \u{202e}txt\u{9b}31m \u{e9}")
END
run run strange.lua -T 0.1 -s 0.1
is 'escaped print' "$(head -n 1 err)" '\x1b]0;title\x07 \xe2\x80\xaetxt\xc2\x9b31m é'
printf '%s\n' 'error("\27[2J")' > strange.lua
run run strange.lua
is 'escaped message' "$(cat err)" 'taut: strange.lua:1: \x1b[2J'

# ---- little memory: OpenBLAS asks for its own without end where there is none (sanitizers need more than this) ----
cat > dense.lua << 'END'
local a, sum, t = {}, 0, 0
for i = 1, 80 do
  a[i] = coordinate("a"..i)
  sum, t = sum + sin(i)*a[i].dot, t + a[i].dot^2*(1 + a[i]^2)
  start { [a[i]] = i/10, [a[i].dot] = 1 }
end
lagrangian(t/2 + sum^2/2*(1 + a[1]^2))
END
if (ulimit -v 150000 && exec "$taut" methods) > out 2> err; then
    (ulimit -v 150000 && exec timeout 60 "$taut" run dense.lua -m em -s 0.001 -T 0.002) > out 2> err
    is 'exit without memory for BLAS' $? 1
    is 'message without memory for BLAS' "$(cat err)" 'taut: out of memory: LAPACK needs 192 MiB that cannot be had'
    (TAUT_LOAD_MEMORY=1 && export TAUT_LOAD_MEMORY && exec "$taut" run "$models/hanging-chain.lua" -D N=2000) > out 2> err
    is 'exit beyond the budget' $? 1
    is 'message beyond the budget' "$(grep -c 'more than 1 MiB of memory' err)" 1
fi

# the fastest frequency: of a spring, 10; of four masses 1 on springs of 100, 20 sin(3 pi/8); of a hanging pendulum
cat > spring.lua << 'END'
local q = coordinate("q")
lagrangian(q.dot^2/2 - 100*q^2/2)
start { q = 1 }
END
cat > ring.lua << 'END'
local q = {}
for i = 1, 4 do q[i] = coordinate("q"..i) lagrangian(q[i].dot^2/2 - 0.001*q[i]^2) start { ["q"..i] = 0.1*i } end
for i = 1, 3 do lagrangian(-100*(q[i + 1] - q[i])^2/2) end
END
cat > hanging.lua << 'END'
local a = point("a", 2)
lagrangian(norm2(a.dot)/2 - 9*a.y)
constraint("rod", norm2(a) - 1)
start { a = {0, -1} }
END
frequency() {
    "$taut" check "$1" | sed -n 's/^  frequency  *//p'
}
rest='at most, at the start; steps of rattle, shake and euler are stable below'
is 'frequency of a spring' "$(frequency spring.lua)" "10 $rest 0.2"
is 'frequency of a ring' "$(frequency ring.lua)" "18.5 $rest 0.108"
is 'frequency of a pendulum' "$(frequency hanging.lua)" "3 $rest 0.667"
run run spring.lua -s 0.21 -T 1
is 'warning of an unstable step' "$(cat err)" "taut: the fastest frequency at the start is 10: rattle is unstable there \
with steps above 0.2; take a smaller --step, or a method for stiff motion, em or del"
succeeds run spring.lua -s 0.19 -T 1
succeeds run spring.lua -s 0.21 -T 1 -m em
run ensemble spring.lua --vary 'q=uniform(1,2)' --members 3 -s 0.21 -T 1 -o unstable.taut
is 'status of an ensemble with an unstable step' $status 0
is 'warning of an unstable step for an ensemble' "$(cat err)" "taut: the fastest frequency of the model at its start, \
with nothing varied, is 10: rattle is unstable there with steps above 0.2; take a smaller --step, or a method for stiff motion, em or del"
succeeds ensemble spring.lua --vary 'q=uniform(1,2)' --members 3 -s 0.19 -T 1 -o stable.taut
run run spring.lua -s 0.3 -T 20
is 'a smaller step has a number' "$(sed -n 's/.*\(try a smaller one.*\)/\1/p' err)" 'try a smaller one, as --step 0.07'

# ---- check: many constraints that depend on others are counted, not listed ----
cat > again.lua << 'END'
local a = point("a", 2)
lagrangian(norm2(a.dot)/2 - 9*a.y)
constraint("rod", norm2(a) - 1)
for i = 1, option("more", 150) do constraint("again"..i, (norm2(a) - 1)*i) end
start { a = {0, -1} }
END
succeeds check again.lua -D more=20
is 'twenty dependent constraints' "$(grep -c "depends on" out)" 20
is 'twenty dependent constraints, and no more' "$(grep -c 'more (--all' out)" 0
succeeds check again.lua
is 'many dependent constraints' "$(grep -c "depends on '" out)" 20
has 'many dependent constraints' '^    and 130 more (--all shows them)$'
succeeds check again.lua --all
is 'all dependent constraints' "$(grep -c "depends on '" out)" 150
succeeds check again.lua --json
is 'all dependent constraints as JSON' "$(grep -o '"depends_on"' out | grep -c .)" 150

echo "$checks checks, $failures failures"
[ $failures -eq 0 ] && [ $checks -gt 160 ]
