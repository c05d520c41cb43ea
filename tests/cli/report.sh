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
