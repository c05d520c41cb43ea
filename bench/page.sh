#!/bin/sh
# The page of all tables there are, on standard output.
cd "$(dirname "$0")"
section() { # ROW TITLE
    [ -f "tables/$1.md" ] || return 0
    printf '\n## %s\n\n' "$2"
    cat "tables/$1.md"
}
cat << 'END'
# Benchmarks

Written by `make bench`: do not edit. `make bench ROWS="j1 chain"` measures some rows again (j1,
precision, record, native, library, ensemble, chain, links, bodies, j5, mechanisms, random, pile) and
keeps the tables of the others; each table says when and where it was measured.

How it is measured: the programs of a row run in turn, several rounds of all of them, so that
whatever else the machine does hits all alike; the least of each counts. Times are processor time of
the process unless the table says wall. A step of Taut is the difference of a long and a short `taut
run`, divided by the difference in steps: all that a run does per step, without load and set-up. The
rows links, j5, mechanisms and random take the same from `taut run --json`, which reports the
processor time of the steps; chains are measured inside one process ([chain.c](chain.c)), which
steps without looking at energies. Times depend on the machine; the ratios are what to compare. The
hand-written programs and the drivers of other systems are in [peers](peers/README.md); systems that
are not installed are skipped (`make bench-peers` installs the Debian packages).

J1 is the double spherical pendulum ([model](../models/double-spherical-pendulum.lua)), J2 the
hanging chain ([model](../models/hanging-chain.lua)), J5 the hinged chain
([model](../models/hinged-chain.lua)).

## Goals

| | goal | measured | met |
|---|---|---|---|
END
for row in j1 precision record native library ensemble chain links bodies j5 mechanisms random pile; do
    cat "tables/$row.goals" 2> /dev/null
done
section j1 'J1: a step of the double spherical pendulum'
section precision 'J1: work against precision'
section record 'Recording'
section native 'Native code'
section library 'Library and Python'
section ensemble 'J4: many double spherical pendula'
section chain 'J2: hanging chain'
section links 'J2: few links, whole runs'
section bodies 'Rigid bodies, joints, friction, damping'
section j5 'J5: bodies on hinges'
section mechanisms 'Mechanisms'
section random 'Random mechanisms'
section pile 'Piles: contacts that carry weight'
