#!/bin/sh
# mpi.sh TAUT MODELS TAUT-MPI: an ensemble on four ranks of one machine; one of them dies, and the same command goes on.
# Exit status 77 (skipped): taut-mpi was not built, or mpirun is not installed.
set -u
mpi=${3:-}
[ -n "$mpi" ] && [ -x "$mpi" ] || { echo "SKIPPED: taut-mpi was not built: there is no MPI"; exit 77; }
command -v mpirun > /dev/null || { echo "SKIPPED: mpirun is not installed"; exit 77; }
mpi=$(cd "$(dirname "$mpi")" && pwd)/$(basename "$mpi")
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"
there sqlite3 || finish 0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # in a container
export TMPDIR=/tmp # sockets of Open MPI have short names
everything='select * from frames order by frame; select * from members order by member;
    select first, last, hex(data) from sums order by first; select member, hex(data) from paths order by member;
    select * from statistics; select * from histograms'
digest() { sqlite3 "$1" "$everything" 2>&1 | cksum; }
arguments="$double -s 0.01 -T 2 --vary a.x=uniform(2.7,2.9) --vary m2=normal(3.5,0.1) --keep energy,b.z --at 1,2 --paths 30"

# shellcheck disable=SC2086 # words of the arguments
succeeds ensemble $arguments --members 300 -o whole.taut

# mpirun itself, where it works at all: some containers forbid what it needs
mpirun --oversubscribe -n 2 true > out 2> err || { echo "SKIPPED: mpirun does not run here: $(head -n 3 err)"; exit 77; }

# ---- four ranks: the same file ----
# shellcheck disable=SC2086
mpirun --oversubscribe -n 4 "$mpi" ensemble $arguments --members 300 -o all.taut > out 2> err
is "exit status of taut-mpi" $? 0
has "the summary" "on 4 ranks"
has "the summary" "300 done, 0 of them failed"
is "the bits of one process" "$(digest all.taut)" "$(digest whole.taut)"
is "files of ranks are gone" "$(ls all.taut.rank* 2> /dev/null)" ""

# ---- a rank dies: the job ends, what was committed stays, and the same command goes on ----
long="--members 300 -s 0.0005"
# shellcheck disable=SC2086
set -- $arguments
shift 3 # the model and the step
# shellcheck disable=SC2086
succeeds ensemble "$double" "$@" $long -o long.taut
# shellcheck disable=SC2086
mpirun --oversubscribe -n 4 "$mpi" ensemble "$double" "$@" $long --on interpreter -o killed.taut > out 2> err &
job=$!
tries=0
while [ $tries -lt 1000 ] && kill -0 $job 2> /dev/null; do
    tries=$((tries + 1))
    [ -s killed.taut.rank0 ] && [ "$(sqlite3 killed.taut.rank0 'select count(*) from members' 2> /dev/null)" -gt 0 ] 2> /dev/null && break
    sleep 0.02
done
victim=$(pgrep -P $job -f "$mpi" | sed -n 3p)
[ -n "$victim" ] && kill -9 "$victim"
wait $job
died=$?
if [ -e killed.taut ]; then
    echo "the job was done before a rank could be killed"
else
    is "a job with a dead rank fails" "$([ $died -ne 0 ] && echo yes)" yes
    kept=0
    for file in killed.taut.rank[0-9]; do
        count=$(sqlite3 "$file" 'select count(*) from members' 2> /dev/null)
        kept=$((kept + ${count:-0}))
    done
    is "members are kept" "$([ $kept -gt 0 ] && echo yes)" yes
    # shellcheck disable=SC2086
    mpirun --oversubscribe -n 3 "$mpi" ensemble "$double" "$@" $long -o killed.taut > out 2> err
    is "exit status of the job that goes on" $? 0
    here=$(sed -n 's/^  here *\([0-9]*\) members.*/\1/p' out)
    is "members are not done again" "$((here + kept))" 300
fi
is "nothing is lost" "$(digest killed.taut)" "$(digest long.taut)"

# ---- other options do not go on with these files ----
cp whole.taut other.taut.rank0
# shellcheck disable=SC2086
mpirun --oversubscribe -n 2 "$mpi" ensemble $arguments --members 300 --seed 7 -o other.taut > out 2> err
is "exit status with files of another ensemble" "$([ $? -ne 0 ] && echo failed)" failed
is "it is said" "$(grep -c 'is of another ensemble' err | sed 's/[1-9].*/yes/')" yes
finish 10
