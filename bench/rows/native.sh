# How long until native code is there: Taut's own machine code, C from nothing and from the cache; and whole runs with
# and without it. On a processor for which Taut writes no code, auto starts the compiler, and what counts is C.
own=0
[ "$(uname -m)" = x86_64 ] && grep -qw avx /proc/cpuinfo && own=1
cache=$PWD/$work/cache
export XDG_CACHE_HOME="$cache"
: > "$work/list"
: > "$work/short"
for model in models/*.lua; do
    name=$(basename "$model" .lua)
    unknowns=$($taut check "$model" 2> /dev/null |
        awk '$1 == "coordinates" { n = $2 } $1 == "constraints" { n += $2 } END { print n + 0 }')
    [ "$unknowns" -gt 0 ] && [ "$unknowns" -le 50 ] || continue
    # A model without native code has no row here: --native on refuses it.
    if ! $taut run "$model" -s 1e-4 -T 1e-4 --native on > "$work/out" 2>&1; then
        echo "\`$name\`" >> "$work/without"
        continue
    fi
    echo "point $name $unknowns" >> "$work/results"
    {
        echo "- rm -rf $cache"
        echo "$name:cold $taut run $model -s 1e-4 -T 1e-4 --native on"
        echo "$name:cached $taut run $model -s 1e-4 -T 1e-4 --native on"
        echo "$name:off $taut run $model -s 1e-4 -T 1e-4 --native off"
    } >> "$work/list"
    echo "$name:own $programs/start $model" >> "$work/own"
done
# Whatever runs first after the compiler is slower, by a tenth of a short run: the caches of the processor and of the
# system hold the compiler's things. So each run that is measured follows one like it. Runs of a few milliseconds, whose
# ratios are near one, are measured more often.
for steps in 1 100 1000 10000 100000 300000; do
    until=$(echo $steps | awk '{ printf "%.12g", $1*0.001 }')
    list=list
    [ $steps -le 1000 ] && list=short
    {
        echo "- rm -rf $cache"
        echo "- $taut run $pendulum -m rattle -s 0.001 -T $until"
        echo "run_cold@$steps $taut run $pendulum -m rattle -s 0.001 -T $until"
        echo "- $taut run $pendulum -m rattle -s 0.001 -T 0.001 --native on"
        echo "- $taut run $pendulum -m rattle -s 0.001 -T $until"
        echo "run_cached@$steps $taut run $pendulum -m rattle -s 0.001 -T $until"
        echo "run_off@$steps $taut run $pendulum -m rattle -s 0.001 -T $until --native off"
    } >> "$work/$list"
done
measure $((rounds < 3 ? rounds : 3)) < "$work/list"
measure $((5 * rounds)) < "$work/short"
measure 1 wall < "$work/own"
sed 's/:own$/:work/; s/:own /:work /' "$work/own" > "$work/own_work"
measure 1 work < "$work/own_work"
echo "own $own" >> "$work/results"
table << 'END'
$1 == "own" { own = $2 }
function above(of, label, base) { return !(label in of) || !(base in of) ? -1 : most(of[label] - of[base], 0) }
function most(a, b) { return b > a ? b : a }
END {
    print "Milliseconds until native code is there: the set-up of a simulation with the machine code that Taut writes"
    print "itself, less one without ([start.c](start.c)); or a run of one step with `--native on`, which waits for the"
    print "compiler or its cache, less the same with `--native off` (0: below the noise). Models of models/ with at most"
    print "50 unknowns (coordinates and constraints), method `rattle`. Runs that are too short to gain by it have no machine code.\n"
    print "| model | unknowns | machine code, wall | C from nothing, wall | C from the cache, wall |" \
          " machine code, processor | C from nothing, processor | C from the cache, processor |"
    print "|---|---|---|---|---|---|---|---|"
    written = cold = cached = -1
    for (n = 1; n <= point_count; n++) {
        split(point[n], p, " ")
        a = above(wall, p[1] ":cold", p[1] ":off"); b = above(wall, p[1] ":cached", p[1] ":off")
        c = most(figure_of(p[1] ":own"), 0); d = most(figure_of(p[1] ":work"), 0)
        printf "| `%s` | %d | %s | %s | %s | %s | %s | %s |\n", p[1], p[2], own ? digits(c) : "-", \
            digits(1e3*a), digits(1e3*b), own ? digits(d) : "-", \
            digits(1e3*above(cpu, p[1] ":cold", p[1] ":off")), digits(1e3*above(cpu, p[1] ":cached", p[1] ":off"))
        cold = most(cold, a); cached = most(cached, b); written = most(written, c/1e3)
    }
    print "\nWhole runs of J1 as `taut run` makes them (`--native auto`) to the same run interpreted: ratios of"
    print "wall time, and of processor time with the compiler's.\n"
    print "| steps | interpreted, ms | wall, empty cache | wall, cached | processor, empty cache | processor, cached |"
    print "|---|---|---|---|---|---|"
    worst = -1
    runs = split("1 100 1000 10000 100000 300000", count, " ")
    for (i = 1; i <= runs; i++) {
        a = "run_cold@" count[i]; b = "run_cached@" count[i]; c = "run_off@" count[i]
        printf "| %s | %s | %s | %s | %s | %s |\n", commas(count[i]), digits(1e3*wall[c]), ratio(wall[a], wall[c]), \
            ratio(wall[b], wall[c]), ratio(cpu[a], cpu[c]), ratio(cpu[b], cpu[c])
        worst = most(worst, most(wall[a]/wall[c], wall[b]/wall[c]))
    }
    if (own) cold = cached = written # needs no cache
    goal("native code from nothing, slowest model", "<=", 150, " ms", cold < 0 ? -1 : 1e3*cold)
    goal("native code from the cache, or without one, slowest model", "<=", 2, " ms", cached < 0 ? -1 : 1e3*cached)
    goal("whole runs to interpreted ones, worst (wall)", "<=", 1.05, "", worst)
}
END
if [ -s "$work/without" ]; then
    printf '\nWithout native code for `rattle`: %s.\n' "$(paste -s -d, "$work/without" | sed 's/,/, /g')" \
        >> "bench/tables/$row.md"
fi
