#!/bin/sh
# report.sh TAUT MODELS: taut report from outside. What is in a page is tested in a browser (tests/page), and in test_report.c.
# shellcheck source=tests/cli/checks.sh
. "$(dirname "$0")/checks.sh"

succeeds run "$pendulum" -T 1 -o one.taut
succeeds report one.taut
is "what is printed" "$(cat out)" "one.html"
is "a whole page" "$(tail -n 1 one.html)" "</html>"
is "no mark is left" "$(grep -c 'TAUT DATA' one.html)" 0
is "the format of the data" "$(grep -c '^<script type="application/json" id="data">{"format":2,' one.html)" 1
succeeds report one.taut -o elsewhere.html
is "the same page" "$(cmp one.html elsewhere.html && echo same)" same
is "numbers" "$(grep -c '<script type="text/plain" id="numbers">[A-Za-z0-9+/]*=*</script>' one.html)" 1

# What goes to others names files, not the folders of the sender: the run file, its page, an ensemble, documents of --json,
# and messages in them.
mkdir -p secret/place
cp "$pendulum" secret/place/swing.lua
cp "$models/bouncing-ball.lua" secret/place/ball.lua
printf '%s\n' 'local x = coordinate "x"' 'lagrangian(x.dot^2/2 + x^4)' 'start { x = 1 }' > secret/place/away.lua
folder=$(pwd)/secret/place
succeeds run "$folder/swing.lua" -T 1 -o named.taut
succeeds report named.taut
run run "$folder/away.lua" -s 0.3 -T 100 -o away.taut
is "a run that fails" "$status" 1
is "its message has the folder" "$(grep -c "secret/place" err)" "$(grep -c "away.lua" err)"
succeeds report away.taut
succeeds ensemble "$folder/swing.lua" --vary "g=uniform(9,10)" --members 2 -T 0.1 -o many.taut
succeeds report many.taut
"$taut" run "$folder/swing.lua" -T 1 --json > run.json
"$taut" check "$folder/swing.lua" --json > check.json
"$taut" run "$folder/away.lua" -s 0.3 -T 100 --json > failed.json
printf 'lagrangian(' > secret/place/wrong.lua
"$taut" check "$folder/wrong.lua" --json > wrong.json
run compare "$folder/ball.lua" -m rattle,em -T 0.2 --report compare.html
is "a comparison without a reference names the line" "$(grep -c 'ball.lua:8' compare.html)" 1
"$taut" compare "$folder/ball.lua" -m rattle,em -T 0.2 --json > compare.json
for file in compare.html compare.json named.taut named.html away.taut away.html many.taut many.html run.json check.json failed.json wrong.json; do
    is "folders in $file" "$(grep -ac 'secret' "$file")" 0
done
is "the name is there" "$(grep -c '"model":"swing.lua"' run.json named.html | tr '\n' ' ')" "run.json:1 named.html:1 "
is "the line of a mistake" "$(grep -c 'wrong.lua:1:' wrong.json)" 1

# Meshes are beside the run file, or where they are said to be.
printf '%s\n' "local a = point 'a'; lagrangian(norm2(a.dot)/2); start { a = {0, 0, 0}, ['a.dot'] = {1, 0, 1} }" \
    "draw { mesh(a, 'part.obj') }" > secret/place/mesh.lua
printf 'v 0 0 0\nv 0.5 0 0\nv 0 0 0.5\nf 1 2 3\n' > secret/place/part.obj
succeeds run secret/place/mesh.lua -T 1 -s 0.1 -o mesh.taut
run report mesh.taut
is "a mesh that is elsewhere" "$status $(grep -c "cannot read the mesh 'part.obj'" err) $(grep -c 'id="mesh-0"' mesh.html)" "0 1 0"
succeeds report mesh.taut --meshes secret/place
is "the folder of meshes" "$(grep -c 'id="mesh-0"' mesh.html)" 1
succeeds render mesh.taut --meshes secret/place --size 160x90 -o mesh.png
cp secret/place/part.obj part.obj
succeeds report mesh.taut
is "beside the run file" "$(grep -c 'id="mesh-0"' mesh.html)" 1

refuse 2 "needs one run file" report
refuse 2 "needs one run file" report one.taut two.taut
refuse 2 "not a run file" report "$pendulum"
refuse 2 "cannot read" report nowhere.taut
refuse 2 "cannot write no/where.html: No such file or directory" report one.taut -o no/where.html
is "nothing beside" "$(ls ./*.part 2> /dev/null)" ""

# Someone has put a link where the page is written first: what it points to is not touched.
for command in 'report one.taut -o linked.html' 'export one.taut linked.csv' 'export one.taut linked.xyz' \
    'export one.taut linked.h5' 'plot one.taut -o linked.svg'; do
    file=${command##* }
    echo precious > precious
    ln -sf precious "$file.part"
    # shellcheck disable=SC2086 # words of the command
    succeeds $command
    is "what a link points to, $command" "$(cat precious)" precious
    is "no link is left, $command" "$([ -L "$file" ] || [ -L "$file.part" ] && echo link)" ""
done

# A signal in the middle: what was there stays, and nothing is left beside it.
succeeds run "$double" -s 0.001 -T 40 -o long.taut
for command in 'report long.taut -o long.html' 'export long.taut long.csv' 'export long.taut long.xyz'; do
    file=${command##* }
    stopped=0 tries=0
    while [ $stopped -eq 0 ] && [ $tries -lt 20 ]; do # it may be done before
        tries=$((tries + 1))
        echo before > "$file"
        # shellcheck disable=SC2086 # words of the command
        "$taut" $command > out 2> err &
        child=$!
        while [ ! -e "$file.part" ] && kill -0 $child 2> /dev/null; do :; done
        kill -TERM $child 2> /dev/null
        wait $child
        [ $? -eq 143 ] && stopped=1
    done
    [ $stopped -eq 1 ] || continue
    is "what was there before: $command" "$(cat "$file")" before
    is "nothing beside: $command" "$(ls ./*.part 2> /dev/null)" ""
    is "message: $command" "$(grep -c '^taut: .*stopped' err)" 1
done

# A run of a model that is damaged gives no page, and the good one stays.
if there sqlite3; then
    cp one.taut bad.taut
    sqlite3 bad.taut "update run set value = 'nonsense(' where name = 'source'"
    cp one.html bad.html
    run report bad.taut
    is "exit status with a damaged model" "$status" 2
    is "the page that was there" "$(cmp one.html bad.html && echo same)" same
    is "nothing beside" "$(ls ./*.part 2> /dev/null)" ""
fi

# The page of a comparison.
succeeds compare "$pendulum" -m rattle,del -s 0.1 -T 1 --report compare.html
is "a whole page" "$(tail -n 1 compare.html)" "</html>"
run compare "$pendulum" -m rattle -s 0.1 -T 1 --report no/where.html
is "exit status without the folder" "$status" 2
is "its reason" "$(grep -c 'cannot write no/where.html' err)" 1

finish 20
