#!/bin/sh
# width.sh TAUT MODELS: on a terminal of 80 columns no line is wider, and none is broken inside a word; what is written
# elsewhere is as it is. Status 77 without script(1), which makes the terminal.
set -eu
taut=$(realpath "$1")
models=$2
command -v script > /dev/null && command -v stty > /dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
escape=$(printf '\033')

# on WIDTH ARGUMENT...: what a terminal of this width shows, without its colours, which take no room
on()
{
    width=$1
    shift
    TERM=xterm script -qec "stty cols $width rows 24; '$taut' $*" typescript < /dev/null | tr -d '\r' |
        sed "s/$escape\[[0-9;]*m//g"
}
words() { tr -s ' \n' '\n\n' | sed '/^$/d'; }

for arguments in --help "run --help" "converge --help" "compile --help" methods "methods galerkin" \
    "check $models/double-spherical-pendulum.lua" "verify $models/pendulum.lua"; do
    "$taut" $arguments > plain
    for width in 60 80 200; do
        on $width $arguments > shown
        words < plain > plain.words
        words < shown > shown.words
        if ! cmp -s plain.words shown.words; then
            failed=1
            echo "taut $arguments: a terminal of $width columns shows other words:"
            diff plain.words shown.words | head -n 5
        fi
        # a word alone, or the name of an option with its value, may be wider than that
        if [ "$width" -ge 80 ] && awk -v most="$width" 'length($0) > most { print; bad = 1 } END { exit !bad }' shown
        then
            failed=1
            echo "taut $arguments: these lines are wider than $width columns"
        fi
    done
done

# What goes on in another line begins under the text of the first one.
on 80 run --help | awk '
    /^ +-/ { text = $0; sub(/^ +(-., )?--[^ ]*( [^ ]+)?  +/, "", text); under = length($0) - length(text); next }
    /^$/ { under = 0 }
    under { match($0, /^ */); lines++; if (RLENGTH != under) { print; bad = 1 } }
    END { exit bad || !lines }' || { failed=1; echo "taut run --help: these lines do not begin under the text"; }

# Numbers for programs are left alone, on a terminal too.
"$taut" run "$models/double-spherical-pendulum.lua" -s 0.1 -T 1 --csv > plain
on 80 run "$models/double-spherical-pendulum.lua" -s 0.1 -T 1 --csv > shown
cmp plain shown || failed=1
# Options are still found by programs that read the help.
"$taut" run --help | sed -n 's/^  *\(-[^ ]*\) .*/\1/p' > plain
on 60 run --help | sed -n 's/^  *\(-[^ ]*\) .*/\1/p' > shown
cmp plain shown || failed=1
exit $failed
