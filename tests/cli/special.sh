#!/bin/sh
# special.sh TAUT MODELS: outputs that are no regular files. A device or a pipe is written to and stays what it is; what
# needs a regular file says so. Devices stand behind links here, so that a command that replaces them does no harm.
. "$(dirname "$0")/checks.sh"

succeeds run "$pendulum" -s 0.01 -T 1 -o run.taut
ln -s "$here/../import/arm.urdf" arm.urdf
# what: a command line, with OUT where its output goes, and the ending that OUT must have
commands='report run.taut -o OUT.html
plot run.taut -o OUT.svg
plot run.taut -o OUT.png
plot run.taut -o OUT.pdf
render run.taut -o OUT.png --size 40x30
render run.taut -o OUT.gif --size 40x30 --seconds 1
export run.taut OUT.csv
export run.taut OUT.xyz
compare PENDULUM -m rattle,em -s 0.1 -T 1 --report OUT.html
import arm.urdf -o OUT.lua
compile PENDULUM -o OUT.c'

# ---- a full disk, and one that takes everything ----
echo "$commands" > list
while read -r command; do
    ending=${command##*OUT.}
    file=out.${ending%% *}
    # shellcheck disable=SC2046 # the words of a command line
    set -- $(echo "$command" | sed "s|OUT\.[a-z]*|$file|; s|PENDULUM|$pendulum|")
    for device in null full; do
        ln -sf /dev/$device "$file"
        run "$@"
        [ $device = null ] && wanted=0 || wanted=1
        [ "$1 $device" = 'export full' ] && wanted=2
        is "status into /dev/$device: $*" "$status" $wanted
        is "the link after: $*" "$(readlink "$file")" /dev/$device
        [ $device = null ] || is "message: $*" "$(grep -c 'cannot write.*No space left' err)" 1
        rm -f "$file"
    done
    # ---- a pipe: what comes out of it is what a file would hold ----
    run "$@"
    rm -f out.h
    mv "$file" whole
    mkfifo "$file"
    cat "$file" > piped &
    run "$@"
    wait $!
    is "status into a pipe: $*" "$status" 0
    if [ "$1" = compare ]; then grep -q '</html>' piped && cp piped whole; fi # it has times in it
    is "through a pipe: $*" "$(cmp whole piped && test -p "$file" && echo same)" same
    rm -f "$file" out.h
    ls > left
    is "left behind by: $*" "$(grep -c '\.part' left)" 0
done < list

# ---- the command's own output, which may be a file that was begun ----
run report run.taut -o page.html
{ echo first; "$taut" report run.taut -o /dev/stdout; } > joined
is 'a page behind what is there' "$({ echo first; cat page.html; } | cmp - joined && echo same)" same
is 'a page in a pipe' "$("$taut" report run.taut -o /dev/stdout | cmp - page.html && echo same)" same
is '/dev/stdout' "$(test -L /dev/stdout && echo link)" link

# ---- what needs a regular file ----
mkfifo pipe.h5 pipe.taut pipe.mp4
refuse 2 'this is not a regular one' export run.taut pipe.h5
refuse 2 'it is not a regular file' run "$pendulum" -s 0.01 -T 1 -o pipe.taut --force
refuse 2 'it is not a regular file' ensemble "$pendulum" --vary 'g=grid(9,10,2)' -s 0.01 -T 1 -o pipe.taut --force
refuse 2 'it is not a regular file' report pipe.taut
succeeds ensemble "$pendulum" --vary 'g=grid(9,10,2)' -s 0.01 -T 1 -o members.taut -q
refuse 2 'it is not a regular file' merge members.taut -o pipe.taut --force
refuse 2 'it is not a regular file' replay members.taut --member 1 -o pipe.taut --force
refuse 2 'this is not a regular one' render run.taut -o pipe.mp4
is 'pipes' "$(test -p pipe.h5 && test -p pipe.taut && test -p pipe.mp4 && echo there)" there
finish 80
