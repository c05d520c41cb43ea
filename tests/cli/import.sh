#!/bin/sh
# import.sh TAUT MODELS NEWTON_EULER: a robot description becomes a model that loads; its motors need the torques that an
# independent reading of the description (tests/import/reference.lua, in joint angles) needs for the same motion, and its
# joints transmit what the recursion of Newton and Euler says (tests/import/newton_euler.c); wrong descriptions are refused.
set -eu
taut=$(realpath "$1")
newton_euler=$(realpath "$3")
here=$(realpath "$(dirname "$0")/../import")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$taut" import "$here/arm.urdf" -o arm.lua 2> error || {
    grep -q "made without expat" error || { cat error; exit 1; }
    echo "SKIPPED: this build has no XML"
    exit 77
}
"$taut" import "$here/arm.urdf" | cmp - arm.lua
"$taut" check arm.lua > report
grep -q "freedom  *7 degrees" report || { cat report; exit 1; }
"$taut" check arm.lua -D limits=true > report
grep -q "contacts" report || { cat report; exit 1; }

# The same motion in both.
joints="turn shoulder elbow roll pitch wrist_roll"
i=0
for name in $joints; do
    i=$((i + 1))
    echo "motion.$name = 0.3*$i*sin((1 + 0.2*$i)*time())" >> motions
    echo "observe(\"motor$i\", joint.$name:effort())" >> observables
    for k in 1 2 3; do
        echo "observe(\"force$i$k\", joint.$name.force_space[$k])" >> observables
        echo "observe(\"torque$i$k\", joint.$name.torque_space[$k])" >> observables
    done
done
echo "motion.left = 0" >> motions
sed '/^-- first.NAME/r motions' arm.lua > driven.lua
cat observables >> driven.lua
for model in driven.lua "$here/reference.lua"; do
    "$taut" run "$model" -m rattle -s 0.01 -T 1 --csv --every 100 > rows
    [ "$model" != driven.lua ] || cp rows rows-driven
    for i in 1 2 3 4 5 6; do
        awk -F, -v wanted="motor$i" 'NR == 1 { for (c = 1; c <= NF; c++) if ($c == wanted) at = c } END { print $at }' rows
    done > "torques-$(basename "$model")"
done
# both are exact: nothing is free, and multipliers at an instant are those of the exact accelerations
paste torques-driven.lua torques-reference.lua | awk '
    { print; d = $1 - $2; if (d < 0) d = -d; if (!(d < 1e-8)) bad = 1; n++ }
    END { if (n != 6) bad = 1; exit bad }'

# Reactions of all joints, in space.
"$newton_euler" 1 > wrenches
for i in 1 2 3 4 5 6; do
    for name in motor$i force${i}1 force${i}2 force${i}3 torque${i}1 torque${i}2 torque${i}3; do
        awk -F, -v wanted="$name" '
            NR == 1 { for (c = 1; c <= NF; c++) if ($c == wanted) at = c } END { print wanted, at ? $at : "none" }' rows-driven
    done
done > reactions
tr ' ' '\n' < wrenches | paste -d' ' reactions - | awk '
    { print; d = $2 - $3; if (d < 0) d = -d; if ($2 == "none" || !(d < 1e-8)) bad = 1; n++ }
    END { if (n != 42) bad = 1; exit bad }' > compared || { cat compared; exit 1; }

# refuse PART TEXT: a description is refused with a message that has PART
refuse()
{
    printf '%s' "$2" > bad.urdf
    status=0
    "$taut" import bad.urdf 2> error > /dev/null || status=$?
    [ "$status" -eq 2 ] && grep -qF "$1" error || { echo "status $status, expected: $1"; cat error; exit 1; }
}
refuse "bad.urdf:1: a robot description begins with <robot> or <mujoco>, not with <model>" '<model/>'
refuse "this is no XML" '<robot name="x"><link name="a"></robot>'
refuse "bad.urdf:1: the robot has no links" '<robot name="x"/>'
refuse "names a child that is not there" '<robot><link name="a"/><joint name="j" type="fixed"><parent link="a"/></joint></robot>'
refuse "hangs on no joint, nor does 'a'" '<robot><link name="a"/><link name="b"/></robot>'
refuse "link 'b' has no mass and moves" '<robot><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>'
refuse "no link of the robot has a mass" '<robot><link name="a"/></robot>'
refuse "the axis of joint 'j' is zero" '<robot><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint></robot>'
refuse "'one' is none" '<robot><link name="a"><inertial><mass value="one"/></inertial></link></robot>'
refuse "the joints of the robot form a ring" '<robot><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint><joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>'
refuse "is the child of two joints" '<robot><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint><joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'

# A joint may follow one that comes later.
body='<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
printf '%s' "<robot><link name='a'/><link name='b'>$body</link><link name='c'>$body</link>
<joint name='follower' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/><mimic joint='leader' multiplier='2'/></joint>
<joint name='leader' type='revolute'><parent link='a'/><child link='c'/><axis xyz='0 0 1'/></joint></robot>" > mimic.urdf
"$taut" import mimic.urdf -o mimic.lua
"$taut" check mimic.lua > report
grep -q "freedom  *1 degree" report || { cat mimic.lua report; exit 1; }

# A fixed joint has no axis, whatever is written (exporters write 0 0 0); a robot may be one link, or fixed as a whole.
printf '%s' "<robot><link name='a'/><link name='b'>$body</link><link name='c'>$body</link>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/></joint>
<joint name='weld' type='fixed'><parent link='b'/><child link='c'/><axis xyz='0 0 0'/></joint></robot>" > weld.urdf
printf '%s' "<robot><link name='a'>$body</link></robot>" > single.urdf
printf '%s' "<robot><link name='a'/><link name='b'>$body</link>
<joint name='weld' type='fixed'><parent link='a'/><child link='b'/><axis xyz='0 0 0'/></joint></robot>" > fixed.urdf
for pair in weld:1 single:0 fixed:0; do
    "$taut" import "${pair%:*}.urdf" -o fixed.lua --force
    "$taut" check fixed.lua > report
    grep -q "freedom  *${pair#*:} degree" report || { echo "$pair"; cat report; exit 1; }
    "$taut" run fixed.lua -s 0.01 -T 0.1 > report
done

# What is not read is listed: an attribute that nobody knows in every element, and an element in every one that has others.
for kind in attribute element; do
    sed 's/<!--.*-->//; s/<collision>.*<\/collision>//; s/<transmission.*>//' "$here/arm.urdf" |
        awk -v kind=$kind -f "$here/unknown.awk" > unknown.urdf
    "$taut" import unknown.urdf -o unknown.lua --force 2> note
    found=$(grep -o 'zz[0-9]*z' unknown.lua | sort -u | wc -l)
    [ "$found" -gt 30 ] && [ "$found" -eq "$(cat places)" ] || { echo "$kind: $found of $(cat places) are listed"; cat unknown.lua; exit 1; }
    grep -q "things of the description have no counterpart here" note
done

# A model that is there may have been worked on: it is replaced by --force alone.
echo "-- mine" > mine.lua
status=0
"$taut" import single.urdf -o mine.lua 2> error || status=$?
[ "$status" -eq 2 ] && grep -qF "'mine.lua' exists: --force replaces it" error || { cat error; exit 1; }
[ "$(cat mine.lua)" = "-- mine" ] || { cat mine.lua; exit 1; }
"$taut" import single.urdf -o mine.lua --force
grep -q "link.a" mine.lua

# Whatever things are called, no name becomes part of the program.
printf '%s' '<robot name="x&#10;error()"><link name="a&#10;error(1)&#10;"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j&#10;error(2)&#10;" type="&#10;error(3)&#10;">
<parent link="a&#10;error(1)&#10;"/><child link="b"/></joint></robot>' > names.urdf
"$taut" import names.urdf -o names.lua
"$taut" check names.lua > report || { cat names.lua report; exit 1; }
