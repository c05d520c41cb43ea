#!/bin/sh
# run-examples.sh TAUT: runs the examples of README.md and docs/*.md. What a block is, its opening fence says:
#
#   ```lua            a complete model: `taut check` must accept it. A first line `-- NAME.lua` names the file, for the
#                     commands that follow.
#   ```lua preamble   the opening of the fragments after it in the same document
#   ```lua fragment   is checked behind that opening
#   ```console        commands after `$ `, each with its output; a line of three dots stands for any lines,
#                     three dots at the end of a line for any rest of it
#
# A model with a line `-- refused: TEXT` must be refused (status 2) with a message that contains TEXT. Outputs are
# compared number by number: times may differ; whole numbers may not; of the others the last digit shown by one, or
# the tenth. Numbers below 1e-9 may be round-off, which differs by up to a factor of 30 between processors; 0 may be up to 1e-14 there.
set -eu
taut=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/build" "$scratch/blocks"
ln -s "$taut" "$scratch/bin/taut"
ln -s "$taut" "$scratch/build/taut"
ln -s "$root/models" "$scratch/models"
PATH=$scratch/bin:$PATH
export PATH
cd "$scratch"
has_quad=$(taut --version | grep -c quad) || true
checked=0 failed=0 missing=

complain()
{
    failed=$((failed + 1))
    echo "$place: $1"
    [ ! -s output ] || sed 's/^/    /' output
}

check_model()
{
    checked=$((checked + 1))
    status=0
    taut check "$1" > output 2>&1 || status=$?
    refusal=$(sed -n 's/^ *-- refused: //p' "$1")
    if [ -z "$refusal" ]; then
        [ "$status" -eq 0 ] || complain "the model is not accepted (status $status):"
    elif [ "$status" -ne 2 ]; then
        complain "the model is accepted, and should be refused with: $refusal"
    else
        grep -qF -e "$refusal" output || complain "the model should be refused with: $refusal"
    fi
}

# One command of a console block, and what it should print.
check_command()
{
    case $1 in *"--precision quad"* | *"taut verify "* | *"taut converge "* | *"taut compare "*) [ "$has_quad" -gt 0 ] || return 0 ;; esac
    case $1 in "sqlite3 "*) command -v sqlite3 > /dev/null || { missing="; some are left out: sqlite3 is not installed" && return 0; } ;; esac
    checked=$((checked + 1))
    sh -c "$1" > output 2> errors < /dev/null || true
    cat errors >> output
    awk -f "$here/compare.awk" expected output > differences || { mv differences output; complain "\$ $1"; }
}

check_console()
{
    command="" commands=0
    : > expected
    while IFS= read -r text || [ -n "$text" ]; do
        case $text in
        "\$ "*)
            [ -z "$command" ] || check_command "$command"
            command=${text#"\$ "} commands=$((commands + 1))
            : > expected ;;
        *) printf '%s\n' "$text" >> expected ;;
        esac
    done < "$1"
    [ -z "$command" ] || check_command "$command"
    [ "$commands" -gt 0 ] || complain "a console block without a command"
}

for document in "$root/README.md" "$root"/docs/*.md; do
    rm -f blocks/* preamble.lua
    awk '
        /^```/ && !inside { inside = 1; count++; file = sprintf("blocks/%04d", count)
                            print substr($0, 4) > (file ".kind"); print NR > (file ".line"); printf "" > (file ".text"); next }
        /^```/ { inside = 0; close(file ".kind"); close(file ".line"); close(file ".text"); next }
        inside { print > (file ".text") }
        END { if (inside) { print FILENAME ": a fence is not closed" > "/dev/stderr"; exit 1 } }' "$document"
    for text in blocks/*.text; do
        [ -e "$text" ] || continue
        block=${text%.text}
        place=${document#"$root"/}:$(cat "$block.line")
        : > output
        case $(cat "$block.kind") in
        "lua preamble") cp "$text" preamble.lua ;;
        "lua fragment")
            cat preamble.lua "$text" > fragment.lua
            check_model fragment.lua ;;
        lua)
            name=$(sed -n '1s/^-- \([A-Za-z0-9_-]*\.lua\)$/\1/p' "$text")
            cp "$text" "${name:=example.lua}"
            check_model "$name" ;;
        console) check_console "$text" ;;
        esac
    done
done

echo "$checked examples, $failed failed$missing"
[ "$checked" -gt 0 ] && [ "$failed" -eq 0 ] || exit 1
[ -z "$missing" ] || exit 77 # skipped, not passed
