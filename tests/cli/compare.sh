#!/bin/sh
# compare.sh TAUT MODELS: taut compare. Its figures are held against those of run and converge.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

# narrow: nothing in out is wider than a terminal of 80 columns
narrow() { is "$1: long lines" "$(awk 'length > 80' out)" ''; }

succeeds compare "$double" -m rattle,del,lobatto:s=3,galerkin:LGG,m=3,shake -s 0.01 -T 2
narrow 'one step'
has 'title' '^Double spherical pendulum$'
has 'step' 't = 0 \.\. 2   double   step 0.01, 200 steps'
for method in rattle del lobatto:s=3 galerkin:LGG,m=3 shake; do has "a line of $method" "^$method"; done
has 'reference' '^reference: in .* its error: q .*e-.*, p .*e-'
has 'the smallest error' '^smallest error: \(lobatto\|galerkin\)'

succeeds compare "$double" -m rattle,lobatto:s=3 --steps 0.05,0.025 -T 1 --csv
is 'rows' "$(cut -d, -f1,2,3 out | tail -n +2 | tr '\n' ' ')" \
    '"rattle",0.05,20 "rattle",0.025,40 "lobatto:s=3",0.05,20 "lobatto:s=3",0.025,40 '
for method in rattle lobatto:s=3; do
    grep "^\"$method\"" out | cut -d, -f9-11 > compared
    cp out kept
    succeeds converge "$double" -m $method --steps 0.05,0.025 -T 1 --csv
    cut -d, -f3,7,11 out | tail -n +2 > converged
    # the references differ, by less than a hundredth of the smallest error
    is "errors of $method as converge has them" "$(paste -d, compared converged | awk -F, '{ for (k = 1; k <= 3; k++) if ($k/$(k+3) > 1.02 || $k/$(k+3) < 0.98) print }')" ''
    cp kept out
done
succeeds run "$double" -s 0.025 -T 1 --csv
energy=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "energy") k = i } NR == 2 { first = $k } NR > 1 { d = $k - first; if (d < 0) d = -d; if (d > most) most = d }
    END { printf "%.6g", most }' out)
is 'energy as run has it' "$(sed -n 3p kept | cut -d, -f4 | awk '{ printf "%.6g", $1 }')" "$energy"

succeeds compare "$models/triple-pendulum.lua" -m rattle,lobatto:s=3 --steps 0.1,0.05,0.025 -T 1
narrow 'several steps'
is 'a row for every step' "$(grep -c '[0-9.]*ms [nipg]$' out)" 6
has 'no momenta, several steps' '^rattle  *0.1  *10 '

if there python3; then
    succeeds compare "$models/triple-pendulum.lua" -m rattle,lobatto:s=3 --steps 0.1,0.05,0.025 -T 1 --report page.html
    is 'steps of the plots of the page' "$(python3 -c 'import json, re
page = json.loads(re.search(r"id=\"data\">(.*?)</script>", open("page.html", encoding="utf-8").read(), re.S)[1])
plots = [p for p in page["parts"] if p["type"] == "plot" and p["title"] in ("Error over step", "Energy over step")]
print([(p["title"], [s["x"] for s in p["series"]]) for p in plots])')" \
        "[('Error over step', [[0.1, 0.05, 0.025], [0.1, 0.05, 0.025]]), ('Energy over step', [[0.1, 0.05, 0.025], [0.1, 0.05, 0.025]])]"
fi

# ---- what made the steps ----
# code METHODS [ARGUMENTS]: of each row the word, then the steps left to the general path
code() {
    list=$1
    shift
    succeeds compare "$double" -m "$list" -s 0.01 -T 1 --csv "$@"
    awk 'NR == 1 { count = split($0, name, ",") } NR > 1 { sub(/^"[^"]*"/, "x"); split($0, value, ",")
        for (i = 1; i <= count; i++) if (name[i] == "code") printf "%s", value[i]; else if (name[i] == "general_steps") printf " %s;", value[i] }' out
}
# lowered steps, also those of vector fields and of compositions: native code where the processor is one that Taut knows
all=rattle,em,naive:rk4,extended:rk4,dirac:rk4,compose:order=4
alike=$(TAUT_NATIVE=auto code $all | tr ';' '\n' | sort -u)
[ "$alike" = 'native 0' ] || is 'alike' "$alike" 'interpreted 0'
is 'without native code' "$(TAUT_NATIVE=off code $all | tr ';' '\n' | sort -u)" 'interpreted 0'
is 'implicit stages, and steps of its own' "$(code dirac:gauss,dirac:rkf45)" 'partly 0;partly 0;'
TAUT_NATIVE=off succeeds compare "$double" -m rattle,dirac:gauss -s 0.01 -T 1
is 'letters' "$(awk '/^(rattle|dirac)/ { printf "%s", $NF }' out)" ip
has 'a legend' '^by: n native code, i interpreter, p '
# a chain of 60 links is too long for straight-line code
succeeds compare "$models/hanging-chain.lua" -D N=60 -m rattle,lobatto -s 0.01 -T 0.05
is 'the general path' "$(awk '/^(rattle|lobatto)/ { printf "%s", $NF }' out)" gg
if there python3; then
    TAUT_NATIVE=off succeeds compare "$double" -m rattle,lobatto:s=3,dirac:gauss -s 0.01 -T 1 --json
    is 'code as JSON' "$(python3 -c 'import json; print([(r["code"], r["general_steps"]) for r in json.load(open("out"))["rows"]])')" \
        "[('interpreted', 0), ('interpreted', 0), ('partly', 0)]"
    for list in rattle,dirac:gauss rattle,dirac:rk4; do
        TAUT_NATIVE=off succeeds compare "$double" -m $list -s 0.01 -T 1 --report page.html
        python3 -c 'import json, re
page = json.loads(re.search(r"id=\"data\">(.*?)</script>", open("page.html", encoding="utf-8").read(), re.S)[1])
print([s["label"] for p in page["parts"] if p["type"] == "plot" and p["title"] == "Work and precision" for s in p["series"]])
print([c["name"] for p in page["parts"] if p["type"] == "table" for c in p["columns"]][-1])' > page.$list
    done
    is 'series by what made the steps' "$(head -n 1 page.rattle,dirac:gauss)" "['rattle (interpreted)', 'dirac:gauss (partly)']"
    is 'series where all are alike' "$(head -n 1 page.rattle,dirac:rk4)" "['rattle', 'dirac:rk4']"
    is 'the column of the page' "$(tail -n 1 page.rattle,dirac:rk4)" code
fi

# ---- a method that refuses the model, and one that fails ----
run compare "$models/henon-heiles.lua" -m rattle,del -T 1
is 'a refusal is no failure' $status 0
has 'a refusal' '^del  *refused$'
has 'no momenta, no constraints' '^rattle  *[0-9.e+-]*  *[0-9.e+-]*  *-  *-  *-  *[0-9]'
is 'the reason' "$(grep -c '^taut: del: .* it needs a Lagrangian' err)" 1
run compare "$models/henon-heiles.lua" -m del -T 1
is 'nobody came to the end' $status 1
run compare "$double" -m rattle,lobatto:s=2 --steps 4,0.125 -T 8
is 'a step that fails' $status 0
has 'a step that fails' 'failed$'

# ---- threads: the same table, but for the time ----
for threads in 1 3; do
    run compare "$double" -m rattle,em,dirac:rk4 --steps 0.05,0.025 -T 0.5 --csv --threads $threads
    is "status with $threads threads" $status 0
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /second/) k = i } { $k = ""; print k ": " $0 }' out > by$threads
done
is 'three threads' "$(cat by3)" "$(cat by1)"
grep -q '^[0-9]' by1 || is 'a column of the time' "$(head -n 1 out)" seconds

# ---- wrong ----
bad() {
    text=$1
    shift
    run compare "$@"
    is "exit status of: taut compare $*" "$status" 2
    is "stdout of: taut compare $*" "$(cat out)" ''
    grep -qF -- "$text" err || is "stderr of: taut compare $*" "$(cat err)" "$text"
}
bad 'needs methods' "$pendulum"
bad "there is no method 'nothing'" "$pendulum" -m nothing,rattle -T 1 -s 0.1
bad 'does not divide' "$pendulum" -m rattle -s 0.3 -T 1
bad 'not both' "$pendulum" -m rattle -s 0.1 --steps 0.1 -T 1
bad 'needs one model file' -m rattle
echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
