#!/bin/bash
# check-completion.bash TAUT: tools/completion.bash completes commands, options, their values, methods, params and files.
set -eu
taut=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
source "$root/tools/completion.bash"
cd "$root"
failed=0

# expect "LINE" WORD...: completing the line (whose last word is the one at the cursor) offers exactly these, in any order.
expect()
{
    local line=$1 offered wanted
    shift
    # as readline splits it: blanks, and = as a word of its own
    read -ra COMP_WORDS <<< "${line//=/ = }"
    [[ $line != *" " ]] || COMP_WORDS+=("")
    COMP_WORDS[0]=$taut
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _taut || true
    offered=$(printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | LC_ALL=C sort)
    wanted=$(printf '%s\n' "$@" | LC_ALL=C sort)
    if [[ $offered != "$wanted" ]]; then
        failed=1
        echo "'$line' offers" $offered "instead of" $wanted
    fi
}

commands=$("$taut" --help | sed -n 's/^  taut \([a-z]*\) .*/\1/p')
methods=$("$taut" methods | grep -oE '^[a-z]+')
expect "taut " $commands --help --version
expect "taut ru" run
expect "taut run --pre" --precision
expect "taut run -" -m --method -s --step -T --until -o --output --force --csv --json --every -D --define --precision --tol --contacts --start --native --threads -q --quiet --color -h --help
expect "taut check --a" --all
expect "taut compile --f" --float
expect "taut compile m.lua -o READ" README.md
expect "taut run m.lua --precision " double quad
expect "taut run m.lua --precision q" quad
expect "taut run m.lua --precision=" double quad
expect "taut run m.lua --precision=d" double
expect "taut run m.lua --start pro" project
expect "taut run m.lua -m " $methods
expect "taut run m.lua --method ratt" rattle
expect "taut methods ratt" rattle
expect "taut run m.lua -s " ""
expect "taut run models/hanging-chain.lua -D " N= g=
expect "taut run models/double-spherical-pendulum.lua -D l" l1= l2=
expect "taut run models/hanging-chain.lua -D N=" ""
expect "taut run models/four-" models/four-bar.lua models/four-particles.lua
expect "taut check mod" models
expect "taut run --csv models/penda" ""
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
touch "$scratch/one.taut" "$scratch/two.lua"
expect "taut resume $scratch/" "$scratch/one.taut"
expect "taut export $scratch/o" "$scratch/one.taut"
expect "taut export run.taut --ev" --every
expect "taut plot $scratch/" "$scratch/one.taut"
"$taut" run models/pendulum.lua -T 0.1 -o "$scratch/run.taut" -q
expect "taut plot $scratch/run.taut -y p." p.a.x p.a.y
expect "taut plot run.taut --theme d" dark
expect "taut check m.lua --color n" never
for command in $commands; do expect "taut $command --hel" --help; done
exit "$failed"
