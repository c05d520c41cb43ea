# shellcheck shell=sh
# What the tests of the command share; sourced by a script with the arguments TAUT MODELS. Leaves it in an empty folder.
# shellcheck disable=SC2034 # used by the scripts
taut=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
models=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
checks=0
quad=no
"$taut" --version | grep -q quad && quad=yes
pendulum=$models/pendulum.lua
double=$models/double-spherical-pendulum.lua

# is WHAT FOUND EXPECTED
is() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] && return
    failures=$((failures + 1))
    printf 'FAILED: %s\n    found    %s\n    expected %s\n' "$1" "$2" "$3"
}

# run ARGUMENTS..: stdout in out, stderr in err, the exit status in $status
run() {
    "$taut" "$@" > out 2> err < /dev/null
    status=$?
}

# succeeds ARGUMENTS..: as run; must end with status 0 and say nothing on stderr
succeeds() {
    run "$@"
    is "exit status of: taut $*" "$status" 0
    is "stderr of: taut $*" "$(cat err)" ""
}

# refuse STATUS TEXT ARGUMENTS..: as run; must end with this status, and one line on stderr that has the text
refuse() {
    wanted=$1 text=$2
    shift 2
    run "$@"
    is "exit status of: taut $*" "$status" "$wanted"
    is "stdout of: taut $*" "$(cat out)" ""
    is "one line on stderr, with '$text'" "$(grep -cF -- "$text" err) $(wc -l < err | tr -d ' ')" "1 1"
}

# has WHAT PATTERN: is it in out?
has() {
    checks=$((checks + 1))
    grep -qe "$2" out && return
    failures=$((failures + 1))
    printf 'FAILED: no "%s" in %s:\n' "$2" "$1"
    sed 's/^/    /' out
}

# there PROGRAM: is it installed? Without it checks are left out.
missing=
there() {
    command -v "$1" > /dev/null && return
    missing=$1
    return 1
}

# finish MORE: the last line of a script that has more than so many checks. Status 77 (for CTest: skipped) where some had to be left out.
finish() {
    echo "$checks checks, $failures failures${missing:+; some are left out: $missing is not installed}"
    [ "$failures" -eq 0 ] && [ "$checks" -gt "$1" ] || exit 1
    [ -z "$missing" ] || exit 77
    exit 0
}
