# Models that engineers have: microseconds a step of whole runs. NAME:BODIES:STEP:WHAT
humanoid=tests/import/humanoid.xml
$taut import --quiet "$humanoid" > "$work/humanoid.lua"
list='suspension:5:0.0005:corner_of_a_car,_double_wishbones stewart-legs:13:0.0005:Stewart_platform_with_six_legs
      bricard:5:0.0005:Bricard_linkage,_redundant_constraints gimbal:3:0.0005:gyroscope_in_two_gimbals
      humanoid:16:0.0005:humanoid_of_MJCF'
for entry in $list; do
    name=${entry%%:*}
    rest=${entry#*:*:}
    case $name in
    gimbal) file=bench/models/gimbal.lua ;;
    humanoid) file=$work/humanoid.lua ;;
    *) file=models/$name.lua ;;
    esac
    echo "point $(echo "$entry" | tr ':_' '  ')" >> "$work/results"
    whole "$name" "${rest%%:*}" 1000 "$file" -m rattle
done > "$work/list"
whole pile 0.01 30 models/pyramid.lua -D rows=10 >> "$work/list"
if has mujoco_bodies; then
    for i in Euler RK4; do
        echo "mujoco_$i env REPS=1 $programs/peer_mujoco_bodies $humanoid $i 0.0005 0.5"
    done >> "$work/list"
fi
measure "$rounds" processor_seconds,us/step < "$work/list"
table << 'END'
function us(name,  s) { s = whole_step(name); return s < 0 ? -1 : 1e6*s }
END {
    print "Microseconds a step of `rattle`, processor time, of `taut run` all that it does in 1,000 steps.\n"
    print "| model | what | bodies | h | us a step | per body |\n|---|---|---|---|---|---|"
    for (k = 1; k <= point_count; k++) {
        split(point[k], w, " ")
        what = point[k]; sub(/^[^ ]* [^ ]* [^ ]* /, "", what)
        each = us(w[1])
        printf "| `%s` | %s | %d | %s | %s | %s |\n", w[1], what, w[2], w[3], digits(each), digits(to(each, w[2]))
    }
    contact = to(us("pile"), 200)
    printf "\nA pyramid of 55 boxes (`pyramid -D rows=10`, h = 0.01), 200 contacts: %s us per contact and step.\n", \
        digits(contact)
    if (figure_of("mujoco_Euler") > 0)
        printf "\nThe humanoid in MuJoCo, of the same file, contacts and limits off: %s us a step (Euler, order 1), " \
            "%s us (RK4); Taut takes %s and %s times as long.\n", digits(figure_of("mujoco_Euler")), \
            digits(figure_of("mujoco_RK4")), ratio(us("humanoid"), figure_of("mujoco_Euler")), \
            ratio(us("humanoid"), figure_of("mujoco_RK4"))
    goal("suspension, a step", "<=", 8, " us", us("suspension"))
    goal("Stewart platform with legs, a step", "<=", 12, " us", us("stewart-legs"))
    goal("Bricard linkage, a step", "<=", 6, " us", us("bricard"))
    goal("gyroscope in gimbals, a step", "<=", 4, " us", us("gimbal"))
    goal("humanoid, a step", "<=", 25, " us", us("humanoid"))
    goal("pile of 55 boxes, per contact and step", "<=", 3, " us", contact)
}
END
