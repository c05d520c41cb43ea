#!/bin/sh
# ensemble.sh TAUT MODELS: ensembles, from outside: ensemble, resume, merge, replay, export, what goes wrong.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

# bad TEXT ARGUMENTS..: status 2, one line on stderr with the text, nothing on stdout
bad() {
    text=$1
    shift
    run "$@"
    is "exit status of: taut $*" "$status" 2
    is "stdout of: taut $*" "$(cat out)" ""
    is "lines on stderr of: taut $*" "$(wc -l < err | tr -d ' ')" 1
    grep -qF -- "$text" err || is "stderr of: taut $*" "$(cat err)" "$text"
}
sql() { sqlite3 "$@" 2>&1; }
digest() { sql "$1" "$everything" | cksum; }
# all that a file has of its members
everything='select * from frames order by frame; select * from members order by member;
    select first, last, hex(data) from sums order by first; select member, hex(data) from paths order by member;
    select * from statistics; select * from histograms'

ensemble() { # NAME ARGUMENTS..: the ensemble of this script
    file=$1
    shift
    succeeds ensemble "$double" -s 0.01 -T 0.5 --vary 'a.x=uniform(2.7,2.9)' --vary 'm2=normal(3.5,0.1)' --keep energy,b.z \
        --at 0.2,0.5 -o "$file" "$@"
}

there sqlite3 || finish 0

# ---- what is recorded ----
ensemble whole.taut --members 0..23 --threads 1
has "the summary" "24 done, 0 of them failed"
has "the summary" "([1-9][0-9.e+]* member steps/s"
is "frames" "$(sql whole.taut 'select count(*) from frames')" 48
is "columns" "$(sql whole.taut "select group_concat(name, ' ') from columns")" "member start.a.x m2 t energy b.z"
is "moments" "$(sql whole.taut 'select count(*), sum(kept), min(t), max(t) from moments')" "51|2|0.0|0.5"
is "start values are those asked for" "$(sql whole.taut 'select count(*) from frames where "start.a.x" between 2.7 and 2.9')" 48
is "the mean at the end" "$(sql whole.taut "select abs(mean - (select avg(\"b.z\") from frames where t = 0.5)) < 1e-12 from fans where name = 'b.z' and t = 0.5")" 1
is "the lowest at the end" "$(sql whole.taut "select lowest = (select min(\"b.z\") from frames where t = 0.5) from fans where name = 'b.z' and t = 0.5")" 1

# ---- the same members, whatever the parts, the threads and the order ----
ensemble first.taut --members 0..9
ensemble second.taut --members 10..23 --threads 2
(ulimit -f 1 && exec "$taut" merge second.taut first.taut -o merged.taut) > out 2>&1
is "exit status of merge on a full disk" $? 2
has 'its message' "merged.taut"
is "nothing is left of it" "$(echo merged*)" 'merged*'
succeeds merge second.taut first.taut -o merged.taut
has merge "24 members, 0 of them failed"
is "parts are the whole" "$(digest merged.taut)" "$(digest whole.taut)"
succeeds merge first.taut second.taut first.taut -o twice.taut
is "a part twice is once" "$(digest twice.taut)" "$(digest whole.taut)"
succeeds merge first.taut -o part.taut
ensemble gap.taut --members 20..23
succeeds merge gap.taut first.taut -o gaps.taut
has merge "some are missing"
is "status of a file with gaps" "$(sql gaps.taut "select value from run where name = 'status'")" stopped
succeeds resume gaps.taut
is "gaps are closed" "$(sql gaps.taut 'select count(*) from members')" 24
is "in the same numbers" "$(sql gaps.taut 'select * from statistics' | cksum)" "$(sql whole.taut 'select * from statistics' | cksum)"

# ---- quantiles and histograms of few members ----
ensemble few.taut --members 24 --paths 5
is "paths" "$(sql few.taut 'select count(*) from paths')" 5
is "histograms count members" "$(sql few.taut 'select count(distinct length(counts) - length(replace(counts, " ", ""))) from histograms where "column" = 2')" 1
ensemble fewer.taut --members 0..11 --paths 5
ensemble rest.taut --members 12..23 --paths 5
succeeds merge fewer.taut rest.taut -o joined.taut
is "members with paths are those of the whole" "$(digest joined.taut)" "$(digest few.taut)"
ensemble none.taut --members 3 --stats none
is "no statistics" "$(sql none.taut 'select (select count(*) from statistics) + (select count(*) from paths), (select count(*) from moments)')" "0|2"

# ---- a member as a single run: the same bits ----
succeeds replay whole.taut --member 7 -o one.taut
is "a member as a single run" "$(sql one.taut 'select t, energy, "b.z" from frames where step in (20, 50)')" \
    "$(sql whole.taut 'select t, energy, "b.z" from frames where member = 7')"
succeeds report one.taut
succeeds ensemble "$double" -s 0.03 -T 0.5 --vary 'a.x=uniform(2.7,2.9)' --members 2 --keep energy,b.z -o short.taut
succeeds replay short.taut --member 1 --csv --every 1000
is "with a shorter last step" "$(tail -n 1 out | cut -d , -f 1)" 0.5
succeeds export short.taut short.csv --columns t,energy,b.z
energy=$(sed -n '1!{$p;}' short.csv)
succeeds replay short.taut --member 1 -o short-one.taut
succeeds export short-one.taut short-one.csv --columns t,energy,b.z
is "the same bits" "$(tail -n 1 short-one.csv)" "$energy"

# ---- grids, tables, designs ----
succeeds ensemble "$pendulum" -T 0.1 --vary 'g=grid(9,10,3)' --vary 'l=values(1,2)' -o grid.taut
is "a grid" "$(sql grid.taut "select g || ' ' || l from frames order by frame" | tr '\n' ';')" "9.0 1.0;9.0 2.0;9.5 1.0;9.5 2.0;10.0 1.0;10.0 2.0;"
printf 'g,l\n9.5,1.5\n9.75,2\n' > members.csv
succeeds ensemble "$pendulum" -T 0.1 --vary-from members.csv -o table.taut
is "a table" "$(sql table.taut "select g || ' ' || l from frames order by frame" | tr '\n' ';')" "9.5 1.5;9.75 2.0;"
succeeds replay table.taut --member 1 --csv
for sample in latin sobol; do
    succeeds ensemble "$pendulum" -T 0.1 --vary 'g=uniform(0,16)' --members 16 --sample $sample -o $sample.taut
    is "one in each interval ($sample)" "$(sql $sample.taut 'select count(distinct cast(g as integer)) from frames')" 16
done

# ---- members that fail ----
succeeds ensemble "$double" -T 0.1 --start strict --vary 'a.x=values(2.8,5,2.7)' --keep energy -o failed.taut
has "the summary" "3 done, 1 of them failed"
is "the member that failed" "$(sql failed.taut "select member, t, steps from members where status = 'failed'")" "1|0.0|0"
is "its reason" "$(sql failed.taut "select length(reason) > 20 from members where member = 1")" 1
is "its values" "$(sql failed.taut 'select energy is null from frames where member = 1')" 1
is "the others" "$(sql failed.taut "select count(*) from members where status = 'finished'")" 2
is "statistics leave it out" "$(sql failed.taut 'select max(count), min(count) from statistics')" "2|2"

# ---- what a page has of it ----
cat > page.py << 'END'
import array, base64, json, re, sys
data = json.loads(re.search(r'id="data">(.*?)</script>', open(sys.argv[1], encoding="utf-8").read(), re.S)[1])
def doubles(text): return list(array.array("d", base64.b64decode(text)))
def floats(text): return list(array.array("f", base64.b64decode(text)))
print(eval(sys.argv[2]))
END
ask() { python3 page.py "$@" 2>&1 | tail -n 1; }
if there python3; then
    succeeds report few.taut -o few.html
    is "members of the page" "$(ask few.html '[data["members"][k] for k in ("count", "done", "failed", "first")]')" '[24, 24, 0, 0]'
    is "what varies" "$(ask few.html '[f"{x:.5f}" for x in floats(data["varied"][0]["data"])] == sys.argv[3].split()' \
        "$(sql few.taut 'select printf("%.5f", "start.a.x") from frames where t = 0.2 order by member' | tr '\n' ' ')")" True
    is "columns and moments" "$(ask few.html '(data["columns"], len(data["moments"]))')" "(['energy', 'b.z'], 51)"
    is "means, all of them" "$(ask few.html 'len(doubles(data["statistics"]["mean"]))')" 102
    is "the mean of the last column at the end" "$(ask few.html 'abs(doubles(data["statistics"]["mean"])[-1] - float(sys.argv[3])) < 1e-12' \
        "$(sql few.taut 'select avg("b.z") from frames where t = 0.5')")" True
    succeeds report failed.taut -o failed.html
    is "a failure" "$(ask failed.html '(data["members"]["failed"], [f["member"] for f in data["failures"]])')" '(1, [1])'
    is "values that were listed" "$(ask failed.html 'data["varied"][0]["levels"]')" '[2.8, 5, 2.7]'
    succeeds report grid.taut -o grid.html
    is "levels of a grid" "$(ask grid.html '(data["grid"], [v["levels"] for v in data["varied"]])')" '(True, [[9, 9.5, 10], [1, 2]])'
fi

# ---- exponents ----
cat > saddle.lua << 'END'
local k = param("k", 1)
local x = coordinate "x"
lagrangian(x.dot^2/2 + k*x^2/2)
start { x = 0 }
END
succeeds ensemble saddle.lua -T 5 --vary 'k=values(1,4)' --lyapunov --at 2.5,5 -o saddle.taut
is "exponents of a saddle" "$(sql saddle.taut 'select group_concat(round((a.lyapunov*4.99 - b.lyapunov*2.49)/2.5, 2), " ") from frames a join frames b on a.member = b.member and a.t = 5 and b.t = 2.5')" "1.0 2.0"
succeeds ensemble saddle.lua -T 5 --vary 'k=values(1,4)' --members 0..0 --lyapunov --at 2.5,5 -o saddle-a.taut
succeeds ensemble saddle.lua -T 5 --vary 'k=values(1,4)' --members 1..1 --lyapunov --at 2.5,5 -o saddle-b.taut
succeeds merge saddle-a.taut saddle-b.taut -o saddle-ab.taut
is "in parts" "$(digest saddle-ab.taut)" "$(digest saddle.taut)"
bad "tangent" ensemble saddle.lua -m naive:rk4 -T 5 --vary 'k=values(1,4)' --lyapunov -o x.taut

# ---- stopped and gone on with ----
"$taut" ensemble "$double" -s 0.001 -T 4 --vary 'a.x=uniform(2.7,2.9)' --members 4000 --stats none --keep energy \
    --threads 1 -o stopped.taut > out 2> err &
child=$!
while [ ! -s stopped.taut ] || [ "$(sql stopped.taut 'select count(*) > 0 from members')" != 1 ]; do
    kill -0 $child 2> /dev/null || break
    sleep 0.05
done
kill -TERM $child
wait $child
is "exit status of an ensemble that is told to stop" $? 143
grep -q "to continue: taut resume stopped.taut" err || is "stderr" "$(cat err)" "to continue: taut resume"
is "status" "$(sql stopped.taut "select value from run where name = 'status'")" stopped
succeeds resume whole.taut
has resume "is finished"

# ---- export ----
succeeds export whole.taut whole.csv
is "the header" "$(head -n 1 whole.csv)" "member,start.a.x,m2,t,energy,b.z"
is "the rows" "$(wc -l < whole.csv | tr -d ' ')" 49
succeeds export whole.taut whole.h5

# ---- what goes wrong ----
bad "option -o is missing" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 3
bad "nothing varies: give --vary" ensemble "$pendulum" --members 3 -o x.taut
bad "option --members is missing" ensemble "$pendulum" --vary 'g=uniform(1,2)' -o x.taut
bad "option --members is a number N" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 5..2 -o x.taut
bad "option --members is a number N" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members -3 -o x.taut
bad "option --members is a number N" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 0 -o x.taut
bad "'g=uniform(2,1)': the lower bound" ensemble "$pendulum" --vary 'g=uniform(2,1)' --members 3 -o x.taut
bad "'gg' cannot vary" ensemble "$pendulum" --vary 'gg=uniform(1,2)' --members 3 -o x.taut
bad "depends on the number of all members" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 0..3 --sample latin -o x.taut
bad "option --sample is random, latin or sobol" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 3 --sample even -o x.taut
bad "option --stats: 'median' is none of" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 3 --stats median -o x.taut
bad "there is no column 'speed' to keep" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 3 --keep speed -o x.taut
bad "is not between 0 and the end" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 3 -T 1 --at 2 -o x.taut
bad "is not reached" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 3 -T 1 --at 0.123 -o x.taut
bad "option --on is interpreter, lanes or gpu" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 3 --on cpu -o x.taut
bad "cannot read 'no.csv'" ensemble "$pendulum" --vary-from no.csv -o x.taut
bad "'/dev/zero' is larger than 256 MiB" ensemble "$pendulum" --vary-from /dev/zero -o x.taut
bad "option --seed needs a whole number" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 3 --seed x -o x.taut
bad "'taut resume' continues it" ensemble "$pendulum" --vary 'g=uniform(1,2)' --members 3 -o whole.taut
bad "is of another ensemble than the first part: its step is 0.03" merge whole.taut short.taut -o x.taut
bad "statistics of parts that overlap" merge whole.taut first.taut -o x.taut
bad "is a single run, not a part" merge whole.taut one.taut -o x.taut
bad "'taut merge' needs files and -o" merge whole.taut
bad "option --member is missing" replay whole.taut
bad "has members 0 to 23, not 24" replay whole.taut --member 24
bad "is a single run, not an ensemble" replay one.taut --member 1
bad "the end of an ensemble cannot be moved" resume whole.taut -T 7
bad "consists of points" export whole.taut whole.xyz
cp whole.taut damaged.taut
sql damaged.taut "update members set status = '' where member = 3"
bad "member 3 has neither finished nor failed" report damaged.taut -o x.taut.html
is "nothing is left of what was refused" "$(ls x.taut* 2> /dev/null)" ""

finish 100
