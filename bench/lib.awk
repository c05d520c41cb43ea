# What turns printed, as arrays; figures of three digits, ratios, and goals. -v goals=FILE -v points=FILE (for plot.awk)
# Lines "@ LABEL STEPS" say how many steps a run has; lines "point ..." are kept for the row, in order.
$1 == "@" { steps[$2] = $3; next }
$1 == "point" { point[++point_count] = substr($0, 7); next }
$2 == "failed" { failed[$1] = 1; next }
{ cpu[$1] = $2; wall[$1] = $3; mib[$1] = $4; figure[$1] = $5 }

# Seconds a step: the difference of a long and a short run; -1: there is no such run.
function per_step(label,  a, b) {
    a = label "_short"; b = label "_long"
    if (!(a in cpu) || !(b in cpu)) return -1
    return (cpu[b] - cpu[a])/(steps[b] - steps[a])
}
function wall_step(label,  a, b) {
    a = label "_short"; b = label "_long"
    return a in wall && b in wall ? (wall[b] - wall[a])/(steps[b] - steps[a]) : -1
}
function figure_of(label) { return label in cpu ? figure[label] : -1 }
# Three significant digits without an exponent; a dash where there is none.
function digits(x,  d) {
    if (x < 0 || x == "nan" || x != x) return "-"
    if (x == 0) return "0"
    d = 2 - int(log(x)/log(10) + 1000 + 1e-9) + 1000
    return d > 0 ? sprintf("%.*f", d, x) : commas(sprintf("%.0f", x))
}
function commas(s,  r) {
    for (r = ""; length(s) > 3; s = substr(s, 1, length(s) - 3)) r = "," substr(s, length(s) - 2) r
    return s r
}
function to(a, b) { return a < 0 || b <= 0 ? -1 : a/b }
function ratio(a, b) { return a < 0 || b <= 0 ? "-" : a/b < 10 ? sprintf("%.2f", a/b) : digits(a/b) }
# A goal is a limit from above (sense "<=") or from below (">="); the table of goals opens README.md.
function goal(what, sense, limit, unit, value,  met) {
    met = value < 0 ? "not measured" : (sense == "<=" ? value <= limit : value >= limit) ? "yes" : "**no**"
    print "| " what " | " sense " " limit unit " | " digits(value) (value < 0 ? "" : unit) " | " met " |" > goals
}
# Seconds a step of a run that lib.sh's `whole` listed; -1: it is not there, or stopped early.
function whole_step(label) { return label in cpu && label in steps ? figure[label]/steps[label] : -1 }
