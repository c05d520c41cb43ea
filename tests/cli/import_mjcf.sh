#!/bin/sh
# import_mjcf.sh TAUT MODELS [MUJOCO_MOTION]: descriptions of MuJoCo (MJCF) become models that load and move; with the program
# MUJOCO_MOTION (tests/import/mujoco_motion.c, built where MuJoCo is installed) the motion is compared with that of
# MuJoCo. All descriptions of Debian's package libmujoco-samples are read where it is installed. Wrong and hostile ones
# are refused.
set -eu
taut=$(realpath "$1")
here=$(realpath "$(dirname "$0")/../import")
motion=${3:+$(realpath "$3")}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$taut" import "$here/humanoid.xml" -o humanoid.lua 2> error || {
    grep -q "made without expat" error || { cat error; exit 1; }
    echo "SKIPPED: this build has no XML"
    exit 77
}

# freedom FILE DEGREES: the imported model loads and has these degrees of freedom
freedom()
{
    "$taut" import "$1" -o model.lua --force 2> note || { cat note; exit 1; }
    "$taut" check model.lua > report 2> error || { cat error; exit 1; }
    grep -q "freedom  *$2 degree" report || { echo "$1:"; grep freedom report; exit 1; }
}
freedom "$here/humanoid.xml" 27 # as its own comment says
[ ! -s note ] || { cat note; exit 1; }
grep -qF 'torque = 80*within(input("ctrl_right_knee", 0), {-1, 1})' model.lua
"$taut" check model.lua -D limits=true > report
grep -q "contacts  *42" report # 21 joints
freedom "$here/features.xml" 15 # slide, hinge, 2 hinges and a slide, ball, hinge, free
grep -q "1 thing of the description has no counterpart here" note
grep -q -- "-- left out: <sensor>" model.lua
freedom "$here/loop.xml" 1

# Joints that follow a motion, and joints that begin elsewhere.
"$taut" import "$here/humanoid.xml" |
    sed 's/^-- motion.NAME.*/motion.right_knee = -0.5 + 0.1*sin(time()) first.left_hip_y = -0.4/' > moved.lua
"$taut" run moved.lua -s 0.001 -T 0.001 --csv > rows
for pair in right_knee_angle:-0.5 left_thigh_left_hip_y:-0.40000000000000002; do
    awk -F, -v wanted="$pair" '
        NR == 1 { split(wanted, part, ":"); for (c = 1; c <= NF; c++) if ($c == part[1]) at = c; next }
        NR == 2 { exit !(at && $at == part[2]) }' rows || { echo "$pair"; head -2 rows; exit 1; }
done

# The same inertia by <inertial> and by the compiler: settotalmass scales, boundmass lifts.
mass()
{
    printf '<mujoco><compiler %s/><worldbody><body name="b"><freejoint/><geom size="0.1" mass="2"/></body></worldbody></mujoco>' "$1" > m.xml
    "$taut" import m.xml | grep -qF "$2" || { "$taut" import m.xml; echo "expected: $2"; exit 1; }
}
mass 'angle="radian"' 'shape = sphere{radius = 0.1}, mass = 2,'
mass 'settotalmass="5"' 'shape = sphere{radius = 0.1}, mass = 5,'
mass 'boundmass="3"' 'mass = 3, inertia = {0.008, 0.008, 0.008}'
mass 'boundinertia="0.02"' 'mass = 2, inertia = {0.02, 0.02, 0.02}'
# Frames turn what is in them, and coordinates may be global.
cat > frame.xml << 'END'
<mujoco><compiler coordinate="local"/><worldbody><frame pos="1 0 0" euler="0 0 90"><body name="b" pos="1 0 0">
<joint name="j" axis="1 0 0"/><geom size="0.1"/></body></frame></worldbody></mujoco>
END
"$taut" import frame.xml | grep -qF 'joint.j = revolute("j", world, link.b, { at = {1, 1, 0}, axis = {0, 1, 0},'
cat > global.xml << 'END'
<mujoco><compiler coordinate="global"/><worldbody><body pos="1 0 0" euler="0 0 90"><joint name="i" pos="1 0 0" axis="0 0 1"/>
<geom pos="1.5 0 0" size="0.1"/><body name="b" pos="2 0 0"><joint name="j" pos="2 0 0" axis="0 1 0"/>
<geom pos="2.5 0 0" size="0.1"/></body></body></worldbody></mujoco>
END
"$taut" import global.xml | grep -qF 'joint.j = revolute("j", link.body1, link.b, { at = {2, 0, 0}, axis = {0, 1, 0},'

# Nothing is dropped in silence. An attribute that nobody knows in every element, and an element in every one that has
# others: each stands in the model, but for those within what is left out as a whole (<sensor>). Numbers count places.
for kind in attribute element; do
    sed '/^<!--/,/-->/d' "$here/features.xml" | awk -v kind=$kind -f "$here/unknown.awk" > unknown.xml
    freedom ./unknown.xml 15
    left=$(awk '{ print $1 - ('$([ $kind = attribute ] && echo 2 || echo 1)') }' places)
    found=$(grep -o 'zz[0-9]*z' model.lua | sort -u | wc -l)
    [ "$found" -eq "$left" ] || { echo "$kind: $found of $left unknown ones are listed"; grep -- '-- ' model.lua; exit 1; }
done
[ "$left" -gt 10 ]

# What a class says of an actuator is as good as what the element says: classes within others, of a body, of the whole.
# servo DEFAULTS BODY POSITION WANTED: the line of the model
servo()
{
    cat > servo.xml << END
<mujoco><compiler autolimits="true"/><default>$1</default><worldbody><body name="a" pos="0 0 1"$2><joint name="j" axis="0 1 0"/>
<geom type="box" size=".1 .1 .1" pos=".3 0 0" mass="1"/></body></worldbody><actuator><position name="p" joint="j"$3/></actuator></mujoco>
END
    freedom ./servo.xml 1
    grep -qF "$4)" model.lua || { cat servo.xml; grep actuator model.lua; echo "expected: $4"; exit 1; }
    [ ! -s note ] || { cat note; exit 1; }
}
servo '<position kp="3" kv="0.5" forcerange="-1 1"/>' '' '' 'input("ctrl_p", 0), 1, {3, 0, 0}, {0, -3, -0.5}, {-1, 1}'
servo '' '' ' kp="3" kv="0.5" forcerange="-1 1"' 'input("ctrl_p", 0), 1, {3, 0, 0}, {0, -3, -0.5}, {-1, 1}'
servo '<position kp="3" kv="0.5"/><default class="b"><default class="c"><position kp="7"/></default></default>' '' ' class="c"' \
    '{7, 0, 0}, {0, -7, -0.5}'
servo '<position kp="3" kv="0.5"/>' '' ' kv="2"' '{3, 0, 0}, {0, -3, -2}'
servo '<general biasprm="0 0 -0.25" ctrlrange="-2 3"/>' '' ' kp="3"' 'within(input("ctrl_p", 0), {-2, 3}), 1, {3, 0, 0}, {0, -3, -0.25}'
servo '<position forcerange="-1 1" forcelimited="false"/>' '' ' kp="3"' '{3, 0, 0}, {0, -3, 0}'
# A ratio of damping: kv = 2 r sqrt(kp I)/gear with the inertia of a cube with sides 0.2 about an axis 0.3 from its centre,
# I = 0.2^2/6 + 0.3^2 = 0.0966666667, and 0.01 of the armature: kv = 0.5656854249 at r = 0.5, kp = 3, kv = 0.5 at gear 2
servo '<position kp="3" dampratio="0.5"/><joint armature="0.01"/>' '' '' \
    "{3, 0, 0}, {0, -3, -$(awk 'BEGIN { printf "%.12g", sqrt(3*(0.04/6 + 0.09 + 0.01)) }')}"
servo '<position kp="3" dampratio="1" gear="2"/>' '' ' dampratio="0.5"' \
    "2, {3, 0, 0}, {0, -3, -$(awk 'BEGIN { printf "%.12g", sqrt(3*(0.04/6 + 0.09))/2 }')}"
# The joint of a class of the body around it
servo '<default class="b"><joint damping="0.7"/></default>' ' childclass="b"' ' kp="3" kv="1"' '{3, 0, 0}, {0, -3, -1}'
grep -qF 'damping = 0.7' model.lua

# Ranges of inputs and forces count where limits are asked for: an input of 5 is then one of 1, a force of 3 one of 2.
servo '' '' ' kp="3" ctrlrange="-1 1"' '{3, 0, 0}, {0, -3, 0}'
# at FILE ARGUMENTS..: the last row of the coordinates
at() { "$taut" run "$@" -s 0.01 -T 0.5 --csv | tail -1 | cut -d, -f1-8; }
[ "$(at model.lua -D ctrl_p=5 -D limits=true)" = "$(at model.lua -D ctrl_p=1)" ]
[ "$(at model.lua -D ctrl_p=5)" != "$(at model.lua -D ctrl_p=1)" ]
sed 's/<position.*\/>/<motor name="p" joint="j" gear="0.5" forcerange="-2 2"\/>/' servo.xml > motor.xml
"$taut" import motor.xml -o motor.lua
grep -qF '0.5*within(input("ctrl_p", 0), {-2, 2})' motor.lua
[ "$(at motor.lua -D ctrl_p=3 -D limits=true)" = "$(at motor.lua -D ctrl_p=2)" ]

# A class that is not there, a mesh that should have a mass, a default that nobody has
cat > lost.xml << 'END'
<mujoco><default><default class="idle"><joint damping="3"/></default></default><worldbody><body name="b"><joint class="none"/>
<geom size="0.1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>
END
freedom lost.xml 1
grep -qF -- '-- left out: <joint> class (line 1)' model.lua
grep -qF -- 'the mass of a mesh is not computed' model.lua
grep -qF -- '-- not read, defaults that no element has: <joint>' model.lua

# What has no counterpart is listed.
cat > left.xml << 'END'
<mujoco><worldbody><body name="hand" mocap="true"><geom size="0.1"/></body>
<body name="ball" gravcomp="1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>
END
freedom left.xml 6
grep -q "2 things of the description have no counterpart here" note || { cat note; exit 1; }
grep -q -- "-- left out: .*mocap: the body is fixed" model.lua
grep -q -- "-- left out: .*gravcomp" model.lua

# Equalities between tendons, by sites, and with a pose; limits of a tendon; what of it has no counterpart.
cat > equal.xml << 'END'
<mujoco><option gravity="1 0 -9.81"/><worldbody>
<body name="a"><joint name="ja" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/></body>
<body name="b" pos="0 1 0"><joint name="jb" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/><site name="sb"/></body>
<body name="c" pos="0 2 0"><joint name="jc" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/><site name="sc" pos="0 -1 0"/></body>
<body name="d" pos="0 3 0"><freejoint/><geom size="0.1" mass="1"/></body>
<body name="e" pos="0 4 0" euler="0 0 90"><freejoint/><geom size="0.1" mass="1"/></body>
</worldbody>
<tendon><fixed name="ta" limited="true" range="-1 2"><joint joint="ja" coef="1"/></fixed>
<fixed name="tb"><joint joint="jb" coef="1"/></fixed>
<fixed name="tc" stiffness="2" springlength="1 2" frictionloss="0.1"><joint joint="jc"/></fixed></tendon>
<equality><tendon name="same" tendon1="ta" tendon2="tb" polycoef="0 2 0.5 0 0"/><connect name="joined" site1="sb" site2="sc"/>
<weld name="posed" body1="d" body2="e" relpose="0 1 0 1 0 0 1"/><joint name="idle" joint1="ja" active="false"/>
<flex name="none"/></equality></mujoco>
END
freedom equal.xml 7 # a, b and c as one; d and e as one
grep -q "3 things of the description have no counterpart here" note
for left in 'its spring has two lengths' 'frictionloss, the dry friction' 'an equality of this kind has no counterpart'; do
    grep -q -- "-- left out: .*$left" model.lua || { echo "no '$left'"; exit 1; }
done
grep -q -- "-- <equality> 'idle' is not active" model.lua
"$taut" check model.lua -D limits=true | grep -q "contacts  *2,"
"$taut" run model.lua -s 0.01 -T 1 --csv > rows
awk -F, '
    NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next }
    { a = $at["tendon_ta"]; b = $at["tendon_tb"]; c = $at["tendon_tc"]; y = $at["e.y"] - $at["d.y"]
      off = a - 2*b - b*b/2; if (off*off > 1e-20 || (b - c)^2 > 1e-20 || (y - 1)^2 > 1e-20) exit 1 }
    END { exit !(NR > 90 && a > 0.5) }' rows || { echo "equalities do not hold:"; tail -1 rows; exit 1; }

# refuse PART TEXT: a description is refused with a message that has PART
refuse()
{
    printf '%s' "$2" > bad.xml
    status=0
    "$taut" import bad.xml 2> error > /dev/null || status=$?
    [ "$status" -eq 2 ] && grep -qF "$1" error || { echo "status $status, expected: $1"; cat error; exit 1; }
}
body() { printf '<mujoco><worldbody><body name="b">%s</body></worldbody></mujoco>' "$1"; }
refuse "has no body that moves" '<mujoco/>'
refuse "'b' moves and has no mass" "$(body '<joint/>')"
refuse "that of a mesh is not computed" "$(body '<joint/><geom type="mesh"/>')"
refuse "'x' is none" "$(body '<joint axis="1 x 0"/>')"
refuse "'nan' is none" "$(body '<joint pos="nan 0 0"/>')"
refuse "the axis of a joint is zero" "$(body '<joint axis="0 0 0"/><geom size="1"/>')"
refuse "a joint of type 'screw' is not known" "$(body '<joint type="screw"/>')"
refuse "beside other joints" "$(body '<joint type="ball"/><joint/><geom size="1"/>')"
refuse "needs 2 sizes that are positive" "$(body '<joint/><geom type="capsule" size="1"/>')"
refuse "is that of no body" "$(body '<freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>')"
refuse "is no order of three axes" '<mujoco><compiler eulerseq="xyw"/></mujoco>'
refuse "names a joint 'k' that is not there" '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody><actuator><motor joint="k"/></actuator></mujoco>'
refuse "names a joint 'k' that is not there" '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody><equality><joint joint1="k"/></equality></mujoco>'
refuse "a document type (<!DOCTYPE ...>) is not read" '<!DOCTYPE m [<!ENTITY a "b">]><mujoco/>'
# (also by a separator or a drive of another system; a name may begin with dots)
for file in '' .. ../x.xml /etc/passwd a/../../x.xml a/.. 'a\x.xml' '..\x.xml' 'c:x.xml'; do
    refuse "is read only from beside or below the description" "<mujoco><include file=\"$file\"/></mujoco>"
done
refuse "cannot read '..none.xml'" '<mujoco><include file="..none.xml"/></mujoco>'
refuse "'bad.xml' is included twice" '<mujoco><include file="bad.xml"/></mujoco>'
refuse "cannot read 'none.xml'" '<mujoco><include file="none.xml"/></mujoco>'
refuse "elements are nested" "<mujoco><worldbody>$(yes '<body>' | head -500 | tr -d '\n')"
refuse "there are more than 20000 elements" "<mujoco>$(yes '<a/>' | head -20001 | tr -d '\n')</mujoco>"
# names cannot leave the comment or string that they stand in
cat > names.xml << 'END'
<mujoco model="a&quot;&#10;error(1) --"><worldbody><body name="and"><freejoint/><geom size="1"/></body><body name="x&#10;error(2)">
<freejoint/><geom size="1"/></body><body name="x error(2)"><freejoint/><geom size="1"/></body></worldbody>
<tendon><unknown name="&#10;error(3)"/></tendon></mujoco>
END
freedom names.xml 18

# Everything in Debian's package with samples.
samples=${MUJOCO_MODELS:-/usr/share/mujoco/model}
if [ -d "$samples" ]; then
    for file in "$samples"/humanoid/humanoid.xml "$samples"/hammock/hammock.xml "$samples"/hammock/humanoid_body.xml \
        "$samples"/humanoid100/humanoid_body.xml; do
        freedom "$file" 27
    done
    freedom "$samples/humanoid/22_humanoids.xml" 594
    freedom "$samples/tendon_arm/arm26.xml" 2
    freedom "$samples/slider_crank/slider_crank.xml" 3
    freedom "$samples/mug/mug.xml" 6
    freedom "$samples/adhesion/active_adhesion.xml" 15
    for file in "$samples"/composite/*.xml "$samples"/flag/*.xml; do # made of composites, which have no counterpart
        status=0
        "$taut" import "$file" > model.lua 2> error || status=$?
        [ "$status" -eq 2 ] && grep -q "has no body that moves\|moves and has no mass" error || { cat error; exit 1; }
    done
else
    echo "no libmujoco-samples here: its descriptions are not read"
fi

# compare FILE T STEP OF_MUJOCO MOST INPUT=VALUE ...: all centres of mass at time T
compare()
{
    file=$1 until=$2 step=$3 small=$4 most=$5
    shift 5
    inputs=""
    for input in "$@"; do inputs="$inputs -D ctrl_$input"; done
    "$taut" import "$file" -o model.lua --force 2> note
    "$taut" run model.lua -m lobatto:s=3 -s "$step" -T "$until" --csv --every 1000000 $inputs > rows.csv 2> error ||
        { cat error; exit 1; }
    "$motion" "$file" "$until" "$small" "$@" > places
    printf '%s: ' "$(basename "$file")"
    awk -v most="$most" -f "$here/compare.awk" rows.csv places
}
[ -n "$motion" ] || { echo "no MuJoCo here: motion is not compared"; exit 0; }
# The errors of both at these steps are some 1e-9 to 1e-8: they fall with either step (docs/mechanisms.md).
compare "$here/humanoid.xml" 0.2 0.0025 0.0005 1e-6 right_knee=0.3 left_hip_x=-0.4 abdomen_z=0.5 right_shoulder1=0.4
compare "$here/features.xml" 0.2 0.005 0.0005 1e-6 push=2 twice=1 more=1 hold=0.5 brake=1 slow=2 affine=0.5 pull=1 both=1 \
    jet=0.5 lift=1
# Constraints of MuJoCo are springs, as stiff as its step allows: this difference falls as the square of its step.
compare "$here/loop.xml" 0.5 0.005 0.0002 2e-5 torque=1
# MuJoCo reads URDF, but for mimics.
sed '/<mimic/d' "$here/arm.urdf" > arm.urdf
compare arm.urdf 0.25 0.005 0.0005 1e-6
