#!/bin/sh
# reproduce.sh TAUT MODELS: the machinery of taut reproduce, on experiments of its own: what lies in a band and what leaves it, what is kept
# and what is computed again, and what is said when something is wrong.
set -u
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

share=$work/share
experiments=$(dirname "$models")/reproduce
mkdir -p "$share/reproduce/small"
ln -s "$models" "$share/models"
ln -s "$experiments/lib" "$share/reproduce/lib"
TAUT_SHARE=$share
export TAUT_SHARE
small=$share/reproduce/small

cat > "$small/paper.lua" << 'END'
return { title = "Small <paper>", citation = "Nobody.", files = { "items" }, misprints = { { "(1)", "a sign" } } }
END
# Each computation leaves a line in the file that COUNTS names.
cat > "$small/items.lua" << 'END'
local function count(what)
  local file = io.open(os.getenv("COUNTS"), "a")
  file:write(what, "\n")
  file:close()
end
item("simple", "A simulation", { short = true }, function(out)
  count "simple"
  local z = simulate("models/pendulum.lua", { method = "rattle", set = { g = 2 } })
  z:step(0.1, 10)
  local t, e = z:get("t", "energy")
  out:value("time", t, "ten steps of 0.1")
  out:value("energy", e)
  out:claim { id = "quoted", text = "a < b & c", verdict = e > 1.9 and e < 2.1, measured = "it is" }
  out:figure { title = "A figure", x = { label = "x", log = true }, y = { label = "y" }, series = { { name = "s", x = { 1, 10, 100 }, y = { 1, 0/0, 3 }, style = "both" } } }
  out:table { title = "A table", columns = { "", "t" }, rows = { { "row", "time" } } }
end)
item("parted", "In parts", {
  parts = function(brief) return { "one", "two" } end,
  part = function(name) count(name) return { x = name == "one" and 1 or text(wide(1)/3) } end },
function(out, parts)
  count "parted"
  out:value("sum", wide(parts.one.x) + wide(parts.two.x))
  out:value("tenth", wide(0.1)*10 - 1)                            -- one tenth, not the double next to it
  out:value("third", abs(-(wide("1")/3)^2*3 - 0)/sqrt(wide(1)))
end)
END
# expect VERDICT [DIGITS [MORE [LONG]]]
expect() {
    left_out='"sum", "tenth", "third"'
    cat > "$small/expected.lua" << END
return { long = { ${4:-$left_out} }, values = { time = { published = "1.0", digits = 2 }, sum = { reference = "1.333333", digits = ${2:-7} }, tenth = { most = 1e-18 },
                    third = { reference = "0.3333333333333333", within = 1e-15 } ${3:-} }, claims = { quoted = "$1" } }
END
}
COUNTS=$work/counts
export COUNTS

# all in their bands; the page
expect holds
run reproduce -o pages
is 'exit status' "$status" 0
has reproduce '^small  *ten steps of 0.1  *1.0  *1.*2/2 digits$'
has reproduce '^small  *claim: quoted  *holds  *holds  *as stated$'
has reproduce '5 in their bands, 0 not'
is 'what was computed' "$(sort counts | tr '\n' ' ')" 'one parted simple two '
cp pages/small.html out
has page 'Small &lt;paper&gt;'
has page 'a &lt; b &amp; c'
has page 'class="line c1"'
has page '1 of 2 printed\|2 of 2 printed'
is 'what a page fetches' "$(grep -c 'src=\|<link\|<script\|http' pages/small.html)" 0

# computed once, unless asked for or changed
run reproduce small -o pages
is 'computed again' "$(wc -l < counts | tr -d ' ')" 4
run reproduce -o pages --again
is 'computed --again' "$(wc -l < counts | tr -d ' ')" 8
rm -f pages/results/small.parted.json pages/results/small.parted.two.json
run reproduce -o pages
is 'computed after an interruption' "$(tail -n +9 counts | tr '\n' ' ')" 'two parted '
printf 'cut short' > pages/results/small.simple.json
run reproduce -o pages
is 'computed after a broken file' "$(tail -n +11 counts | tr '\n' ' ')" 'simple '
echo '-- changed' >> "$small/items.lua"
run reproduce -o pages
is 'computed after a change' "$(tail -n +12 counts | sort | tr '\n' ' ')" 'one parted simple two '

# the short form
run reproduce --short -o short
is 'exit status of --short' "$status" 0
is 'results of --short' "$(ls short/results)" 'small.simple.short.json'

# what is judged is not computed again, and leaves its band
expect holds 7 ', energy = { reference = "2.1", within = 0.01 }'
run reproduce -o pages
is 'exit status off the band' "$status" 1
has reproduce 'energy .* LEAVES ITS BAND (± 1 %)'
is 'computed to be judged' "$(tail -n +17 counts)" ''
expect 'does not hold'
run reproduce -o pages
is 'exit status of another verdict' "$status" 1
has reproduce 'claim: quoted  *does not hold  *holds  *NOT AS STATED'
expect holds 7 ', missing = { reference = "1" }'
run reproduce -o pages
is 'exit status of a missing value' "$status" 1
has reproduce 'missing .*WAS NOT COMPUTED'
run reproduce --short -o short
is 'exit status of a missing value of --short' "$status" 1
has reproduce 'missing .*WAS NOT COMPUTED'
has reproduce '2 in their bands, 1 not'
# what the short form leaves out is said in expected.lua: no less, and no more
expect holds 7 '' '"sum", "third"'
run reproduce --short -o short
is 'exit status of --short without a figure' "$status" 1
has reproduce 'tenth .*WAS NOT COMPUTED'
expect holds 7 '' '".*"'
run reproduce --short -o short
is 'exit status of --short with a list too wide' "$status" 1
has reproduce 'time .*COMPUTED, THOUGH EXPECTED.LUA CALLS IT LONG'
has reproduce 'claim quoted .*COMPUTED, THOUGH EXPECTED.LUA CALLS IT LONG'

# timings are shown and count neither as figures nor as failures
expect holds 7 ', energy = { published = "1e9", timing = true }'
run reproduce -o pages
is 'exit status of a timing' "$status" 0
has reproduce '^small  *energy  *1e9 .* timing$'
has reproduce '^5 in their bands, 0 not; 1 timing, not judged; '
cp pages/small.html out
has page '<b>4</b> figures compared'
has page '<b>0</b> outside their band'
has page '<b>1</b> claims hold</li>'
# a page says what is off
expect holds 7 ', energy = { reference = "2.1", within = 0.01 }'
run reproduce -o pages
cp pages/small.html out
has page '<b>5</b> figures compared'
has page '<b>1</b> outside their band'
expect holds

# what goes wrong
expect holds
cat >> "$small/items.lua" << 'END'
item("wrong", "Wrong", {}, function(out) simulate("models/pendulum.lua", { method = "ratle" }) end)
END
run reproduce -o pages
is 'exit status of a failing item' "$status" 1
has reproduce 'Wrong .*COULD NOT BE COMPUTED'
has reproduce "there is no method 'ratle'"
# an item without a figure or claim to judge, a paper without items, no paper at all: nothing passes by computing nothing
cat > "$small/items.lua" << 'END'
item("simple", "A simulation", { short = true }, function(out) out:value("unexpected", 1) out:remark "Nothing." end)
END
echo 'return { values = {}, claims = {} }' > "$small/expected.lua"
for form in '' --short; do
    # shellcheck disable=SC2086 # no word, or one
    run reproduce $form -o pages
    is "exit status of an item without figures $form" "$status" 1
    has reproduce 'A simulation .*HAS NOTHING TO BE JUDGED'
    has reproduce '^0 in their bands, 1 not'
done
# the comparison of energies when every run stops: none of its claims holds
cat > "$small/items.lua" << END
local function stop() error("model: it stops", 0) end
simulate = function() return { step = stop, get = function() return 1 end, close = function() end } end
assert(loadfile("$experiments/comparison/energy.lua", "t", _ENV))()
END
cp "$experiments/comparison/expected.lua" "$small/expected.lua"
run reproduce -o pages
is 'exit status when every run stops' "$status" 1
has reproduce '^small  *runs that came to their end, of 32  *-  *0  *LEAVES ITS BAND (± 0)$'
for claim in 'em exact' 'symplectic bounded' 'runge-kutta drifts'; do has reproduce "claim: $claim .* NOT AS STATED\$"; done
echo '-- nothing' > "$small/items.lua"
echo 'return { values = {}, claims = {} }' > "$small/expected.lua"
run reproduce --short -o pages
is 'exit status of a paper without items' "$status" 1
has reproduce 'Small <paper> .*HAS NOTHING TO BE JUDGED'
mv "$small/paper.lua" "$small/no-paper.lua"
run reproduce --short -o pages
is 'exit status without papers' "$status" 1
grep -q 'there is no experiment in' err || is 'stderr without papers' "$(cat err)" 'there is no experiment in'
mv "$small/no-paper.lua" "$small/paper.lua"
for what in 'small --jobs 0' 'nobody' '--speed 3'; do
    # shellcheck disable=SC2086 # words
    run reproduce $what -o pages
    is "exit status of: taut reproduce $what" "$status" 2
    is "lines on stderr of: taut reproduce $what" "$(wc -l < err | tr -d ' ')" 1
done
run reproduce -o /dev/null/pages
is 'exit status without a folder' "$status" 1
grep -q 'cannot make the folder' err || is 'stderr without a folder' "$(cat err)" 'cannot make the folder'
TAUT_SHARE=$work/nowhere
run reproduce -o pages
is 'exit status without experiments' "$status" 2
grep -q 'TAUT_SHARE' err || is 'stderr without experiments' "$(cat err)" 'TAUT_SHARE'

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
