#!/bin/sh
# check-agreement.sh TAUT: the manual page has the commands of `taut --help`, the options of every `taut COMMAND --help` in the
# same order and form, and the version; docs/model-language.md lists the names that a model has; docs/reproduce.md and `taut reproduce
# --help` name the papers of reproduce/, and the former says how many figures there are; tables cite commits that exist.
set -eu
taut=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
manual=$root/man/taut.1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

# compare WHAT FILE FILE
compare()
{
    diff "$2" "$3" > differences && return
    failed=1
    echo "$1 differ (< $2, > $3):"
    cat differences
}

"$taut" --help | sed -n 's/^  taut \([a-z][a-z]*\) .*/\1/p' > help-commands
sed -n '/^\.SH COMMANDS/,/^\.SH MODELS/s/^\.SS //p' "$manual" > manual-commands
[ -s help-commands ]
compare "Commands" help-commands manual-commands

# tags SECTION
tags()
{
    awk -v wanted="$1" '
        /^\.S[SH]/ { inside = $0 == wanted; next }
        inside && tag { print; tag = 0 }
        inside && /^\.TP/ { tag = 1 }' "$manual" |
        sed 's/^\.B[RI]* //; s/\\f.//g; s/\\-/-/g; s/"//g; s/ *, */, /g; s/ *| */|/g; s/  */ /g; s/ *$//'
}

while read -r command; do
    # "-m, --method METHOD" from the help
    "$taut" "$command" --help | sed -n '/^  *-/{s/^ *//;s/  .*//;p}' > all-options
    grep -e --quiet -e --color all-options > help-common
    grep -v -e --quiet -e --color all-options > help-options
    # and from the tagged paragraphs of the command's section of the manual, and of what all have
    tags ".SS $command" > manual-options
    compare "Options of $command" help-options manual-options
    tags ".SH OPTIONS OF EVERY COMMAND" > manual-common
    compare "Options of every command, and of $command," help-common manual-common
done < help-commands

version=$("$taut" --version | sed 's/ (.*//')
grep -q "^\.TH TAUT 1 \"[-0-9]*\" \"$version\"" "$manual" || { failed=1; echo "The manual is not that of $version"; }

# Every global name of a model, but for Lua's own.
cat > names.lua << 'END'
local x = coordinate "x"
lagrangian(x.dot^2/2)
start { x = 0 }
local first = body                                       -- names of bodies and joints are there when one of them is used
local lua = " _G _VERSION assert error getmetatable ipairs math next pairs pcall print rawequal rawget rawlen rawset select " ..
            "setmetatable string table tonumber tostring type xpcall "
for name in pairs(_G) do
  if not lua:find(" " .. name .. " ", 1, true) then print("name " .. name) end
end
END
"$taut" check names.lua 2>&1 > report | sed -n 's/^name //p' | LC_ALL=C sort > model-names
sed -n '/^## All names/,$p' "$root/docs/model-language.md" | grep -o '`[a-z0-9_]*`' | tr -d '`' | LC_ALL=C sort > documented-names
[ -s model-names ]
compare "Names of the model language" model-names documented-names

# The papers.
for folder in "$root"/reproduce/*/paper.lua; do basename "$(dirname "$folder")"; done | LC_ALL=C sort > papers
sed -n 's/^| `\([-a-z]*\)` | .* | .* |$/\1/p' "$root/docs/reproduce.md" | LC_ALL=C sort > documented-papers
"$taut" reproduce --help | sed -n 's/^PAPER is \(.*\), all families.*/\1/p' | tr -cs 'a-z-' '\n' | grep -vx or | LC_ALL=C sort > help-papers
[ -s papers ]
compare "Papers in docs/reproduce.md" papers documented-papers
compare "Papers in the help of reproduce" papers help-papers

# All figures and claims that are expected, but for timings: counted by an experiment of its own.
mkdir -p share/reproduce/count
ln -s "$root/reproduce/lib" share/reproduce/lib
echo 'return { title = "", citation = "", files = { "count" } }' > share/reproduce/count/paper.lua
echo 'return { values = { count = { least = 1 } }, claims = {} }' > share/reproduce/count/expected.lua
cat > share/reproduce/count/count.lua << END
item("count", "", { short = true }, function(out)
  local count = 0
  for paper in io.lines("$scratch/papers") do
    local expected = assert(loadfile("$root/reproduce/" .. paper .. "/expected.lua", "t", _ENV))()
    for _, e in pairs(expected.values) do if not e.timing then count = count + 1 end end
    for _ in pairs(expected.claims) do count = count + 1 end
  end
  out:value("count", count, "figures")
end)
END
TAUT_SHARE=$scratch/share "$taut" reproduce -o pages 2> /dev/null | sed -n 's/^count  *figures  *-  *\([0-9]*\) .*/\1/p' > figures
sed -n 's/.* everything: \([0-9]*\) figures, .*/\1/p' "$root/docs/reproduce.md" > documented-figures
[ -s figures ]
compare "Numbers of figures" figures documented-figures

# Commits that tables say they were measured on: of the history, where it is there.
if git -C "$root" rev-parse --is-shallow-repository 2> /dev/null | grep -q false; then
    grep -ho 'commit [0-9a-f]\{7,40\}' "$root"/bench/README.md "$root"/bench/tables/*.md "$root"/docs/*.md | sort -u |
        while read -r _ commit; do git -C "$root" merge-base --is-ancestor "$commit" HEAD 2> /dev/null || echo "$commit"; done > unknown
    : > nothing
    compare "Commits that are cited and are not in the history (nothing)" unknown nothing
fi
exit "$failed"
