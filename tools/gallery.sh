#!/bin/sh
# gallery.sh TAUT: runs every model and writes docs/gallery.md with a picture of each (docs/gallery/NAME.png), all by
# taut run and taut render; then the film of the README and the picture of the tutorial (docs/figures). Half a minute.
# gallery.sh --list: the models that it knows, a line each.
set -eu
root=$(realpath "$(dirname "$0")/..")

# model | time of the picture | arguments of taut run | arguments of taut render
table() {
    cat <<'END'
# Pendulums and tops
pendulum | 0.9 | -T 2 |
double-spherical-pendulum | 4.2 | -T 10 |
triple-pendulum | 1.5 | -T 4 |
spring-pendulum | 3 | -T 4 |
driven-pendulum | 2 | -T 2 |
damped-pendulum | 3.4 | -T 4 |
bead-on-hoop | 3 | -T 4 |
heavy-top | 1.4 | -s 0.0005 -T 2 --every 4 |
rigid-body | 6 | -s 0.005 -T 10 |
henon-heiles | 30 | -s 0.05 -T 30 | --trail all
# Linkages
four-bar | 0.9 | -s 0.001 -T 2 |
n-four-bar | 2 | -T 4 |
slider-crank | 0.12 | -s 0.0005 -T 0.5 |
spatial-four-bar | 3 | -T 4 |
bennett | 2.5 | -T 4 |
bricard | 2 | -T 4 |
stewart-platform | 2 | -T 4 |
stewart-legs | 1 | -T 2 |
suspension | 0.2 | -s 0.002 -T 0.4 |
hinged-plates | 2 | -T 4 |
truss | 3 | -T 4 |
benchmarks/a01-pendulum | 4 | -T 10 |
benchmarks/a03-squeezer | 0.015 | -s 0.00001 -T 0.03 --every 10 |
benchmarks/a05-governor | 1.5 | -m lobatto:s=2 -s 0.0002 -T 2 --every 50 |
# Chains, springs and molecules
hanging-chain | 2.5 | -s 0.005 -T 4 -D N=40 |
falling-chain | 0.35 | -s 0.002 -T 1 |
bending-chain | 2 | -T 4 |
damped-catenary | 1.2 | -s 0.001 -T 4 --every 10 |
hinged-chain | 0.6 | -s 0.002 -T 1 |
six-balls | 4 | -T 6 |
four-particles | 4 | -T 4 |
water | 0.2 | -s 0.0002 -T 0.4 --every 4 |
argon-trimer | 4 | -T 4 |
chain-molecule | 4 | -T 4 |
point-vortices | 8 | -m dirac -T 10 | --trail long
# Contacts
bouncing-ball | 1 | -T 3 |
rolling-ball | 2 | -T 4 |
billiard-ball | 0.4 | -s 0.001 -T 1 |
block-incline | 0.8 | -T 2 |
table-edge | 1 | -T 2 |
dice | 0.6 | -T 2 |
rocking-block | 0.5 | -T 2 |
newtons-cradle | 0.45 | -T 1 |
unequal-cradle | 1 | -T 2 |
pyramid | 0.1 | -T 0.1 |
arch | 0.5 | -m em -T 0.7 -D n=15 -D thickness=0.1 |
dominoes | 0.6 | -m em -T 1.5 |
# Blades, wheels and rolling bodies
nonholonomic/knife-edge | 3 | -T 3 | --trail all
nonholonomic/sleigh | 4 | -T 4 | --trail all
nonholonomic/vertical-disk | 4 | -T 4 | --trail all
nonholonomic/tilted-disk | 2 | -T 2 | --trail all
nonholonomic/turntable | 6 | -T 6 | --trail all
nonholonomic/rattleback | 0.5 | -s 0.001 -T 1 --every 5 |
nonholonomic/snakeboard | 6 | -T 6 | --trail all
nonholonomic/bicycle | 1 | -s 0.002 -T 1.5 --every 5 |
nonholonomic/particle | 10 | -T 10 | --trail all
nonholonomic/transmission | 4 | -T 4 |
# Joints
joints/revolute | 1 | -T 2 |
joints/prismatic | 0.5 | -T 1 |
joints/cylindrical | 0.5 | -T 1 |
joints/universal | 1 | -T 2 |
joints/spherical | 1 | -T 2 |
joints/planar | 0.4 | -T 1 |
joints/plane | 0.4 | -s 0.002 -T 1 |
joints/screw | 1 | -T 2 |
joints/rolling | 0.6 | -T 1 |
joints/wheel | 0.8 | -T 2 |
joints/fixed | 1 | -T 2 |
joints/distance | 1 | -T 2 |
joints/gear | 0.5 | -T 1 |
joints/belt | 0.5 | -T 1 |
joints/series | 0.5 | -T 1 |
# Models of the papers
papers/cubic-surface | 4 | -T 4 | --trail all
papers/jay-simeon-4.1 | 1 | -T 1 |
papers/jay-simeon-4.2 | 1 | -T 1 |
papers/pendulum-off-manifold | 1 | --start project -T 2 |
papers/variable-mass-oscillator | 1 | -T 2 |
papers/double-spherical-pendulum-chart | 4 | -T 4 |
papers/double-spherical-pendulum-points | 4 | -m del -T 4 |
papers/rigid-body-points | 4 | -m del -T 4 |
papers/dirac-second-class | 1 | -m dirac -T 1 |
END
}

if [ "${1-}" = --list ]; then
    table | sed -n 's/^\([^#| ]*\) .*/\1/p'
    exit 0
fi
taut=$(realpath "$1")
out=$root/docs/gallery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
page=$work/gallery.md
export TAUT_NATIVE=off # so short a run is over before a compiler is

# first FILE: the first sentence of the comment at the top, as the page has it (viewer/src/head.ts)
first() {
    sed -n '/^--/!q; s/^--* *//; p' "$1" | tr '\n' ' ' | awk '{
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1); after = substr($0, i + 1, 2)
            if (c == "(") depth++
            if (c == ")") depth--
            if (depth == 0 && ((c == "." && (after == "" || after ~ /^ ([^a-z]|$)/)) || (c == ":" && after ~ /^ [A-Z]/))) break
        }
        text = substr($0, 1, i)
        sub(/[ :.]*$/, "", text)
        print text "."
    }'
}

cat > "$page" <<'END'
# Gallery

All models of [models/](../models), each with the command that runs it. `taut render run.taut -o film.gif` makes a
film of the run, `taut report run.taut` a page. This page and its pictures are made by `make gallery`.
END
column=0
end_row() {
    [ "$column" -eq 0 ] || printf '|\n' >> "$page"
    column=0
}
table | while IFS='|' read -r model at run render; do
    model=$(echo "$model" | sed 's/ *$//')
    case $model in '# '*)
        end_row
        printf '\n## %s\n\n| | | |\n|---|---|---|\n' "${model#\# }" >> "$page"
        continue ;;
    esac
    name=$(basename "$model")
    case $model in joints/*) name=joint-$name ;; esac
    file=$root/models/$model.lua
    # shellcheck disable=SC2086 # words
    "$taut" run "$file" $run -o "$work/$name.taut" --force > "$work/log" 2>&1 || { echo "$model: $(tail -n 2 "$work/log")" >&2; exit 1; }
    # shellcheck disable=SC2086
    "$taut" render "$work/$name.taut" --size 300x190 --plain --colours 48 --at "$at" $render -o "$out/$name.png" > "$work/log" 2>&1 || {
        cat "$work/log" >&2; exit 1; }
    rm -f "$work/$name.taut"
    title=$(sed -n 's/^title *(\{0,1\}"\(.*\)".*/\1/p' "$file" | head -n 1)
    run=$(echo "$run" | sed 's/^ *//; s/ *$//')
    printf '| ![%s](gallery/%s.png)<br>**%s**. %s<br>`taut run models/%s.lua %s` ' "$title" "$name" "$title" "$(first "$file")" "$model" "$run" >> "$page"
    column=$(((column + 1) % 3))
    [ "$column" -ne 0 ] || printf '|\n' >> "$page"
done
# the last row of each part may be short: its line still ends
awk '/^\| !\[/ && !/\|$/ { print $0 "|"; next } { print }' "$page" > "$root/docs/gallery.md"

# The film of the README, and the picture of the tutorial, whose model stands on its page.
"$taut" run "$root/models/double-spherical-pendulum.lua" -T 30 -o "$work/film.taut" > /dev/null
"$taut" render "$work/film.taut" --size 400x320 --fps 12.5 --seconds 10 --colours 32 -o "$root/docs/figures/double-spherical-pendulum.gif" 2> /dev/null
awk '/^```lua/ { inside = 1; next } /^```/ && inside { exit } inside' "$root/docs/tutorial.md" > "$work/pendulum.lua"
"$taut" run "$work/pendulum.lua" -T 10 -o "$work/first.taut" > /dev/null
"$taut" render "$work/first.taut" --at 0.6 --size 400x260 --colours 64 -o "$root/docs/figures/tutorial-pendulum.png"
