#!/bin/sh
# errors.sh TAUT MODELS: runs the table errors.txt.
# shellcheck disable=SC2034 # M, B and LONG stand in the table
set -u
taut=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
M=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
B=$here/bad-models
LONG=1$(printf '%0300d' 0)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
rows=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: taut $arguments"
    echo "    $1"
    sed 's/^/    stderr: /' "$work/err"
}

quad=no
"$taut" --version | grep -q quad && quad=yes

while IFS='|' read -r status arguments text; do
    case $status in '' | '#'*) continue ;; esac
    case $quad$arguments in no*quad*) continue ;; esac
    flags=$(echo "$status" | tr -d '0-9 ')
    status=$(echo "$status" | tr -dc '0-9')
    arguments=$(echo "$arguments" | sed 's/^ *//; s/ *$//')
    text=$(echo "$text" | sed "s/^ *//; s/ *\$//; s|\\\$B|$B|g")
    rows=$((rows + 1))
    eval "set -- $arguments"
    "$taut" "$@" > "$work/out" 2> "$work/err" < /dev/null
    found=$?
    [ "$found" = "$status" ] || fail "exit status $found, not $status"
    [ "$(wc -l < "$work/err")" -eq 1 ] || fail "not one line on stderr"
    grep -q '^taut: ' "$work/err" || fail "the message does not begin with 'taut: '"
    grep -qF -- "$text" "$work/err" || fail "no '$text' in it"
    case $flags in
    *+*) [ -s "$work/out" ] || fail "nothing on stdout" ;;
    *) [ -s "$work/out" ] && fail "something on stdout" ;;
    esac
    grep -qw nan "$work/out" && fail "nan on stdout"
    case $flags in *=*) ;; *) sed "s|$B/||; s|^\(taut: \)[a-z0-9-]*\.lua:[0-9]*: |\1|" "$work/err" >> "$work/messages" ;; esac
done < "$here/errors.txt"

# Its own message for each: no two rows say the same, once the file is taken away.
sort "$work/messages" | uniq -d > "$work/twice"
if [ -s "$work/twice" ]; then
    failures=$((failures + 1))
    echo "FAILED: said in two rows:"
    sed 's/^/    /' "$work/twice"
fi
echo "$rows rows, $failures failures"
[ "$failures" -eq 0 ] && [ "$rows" -gt 60 ]
