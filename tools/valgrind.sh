#!/bin/sh
# valgrind.sh: short tests of every layer, and the command, under memcheck. LAPACK and MUMPS choose their code by the processor,
# in ways that valgrind does not always know: tests of them are not among these.
set -eu
cd "$(dirname "$0")/.."
export TAUT_NATIVE=off
tests="test_expr test_expr_simplify test_kernel test_heap test_flat test_core_dense_double test_core_step_double
       test_core_room_double test_core_contact_dip_double test_core_contact_bounce_double test_core_start_double test_library
       test_library_events test_record_status test_core_chart_double test_export"
run() { valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@" > valgrind.log 2>&1; }
status=0
for test in $tests; do
    if run "build/tests/$test"; then echo "$test: clean"; else echo "$test: see below"; tail -40 valgrind.log; status=1; fi
done
file=$(mktemp -d)
trap 'rm -rf "$file" valgrind.log' EXIT
run build/taut run models/double-spherical-pendulum.lua -m rattle -s 0.01 -T 0.1 -o "$file/run.taut" &&
    run build/taut resume "$file/run.taut" -T 0.2 && run build/taut export "$file/run.taut" "$file/run.csv" &&
    run build/taut report "$file/run.taut" -o "$file/run.html" && echo "taut run, resume, export, report: clean" ||
    { tail -40 valgrind.log; status=1; }
exit $status
