# awk -f compare.awk ROWS.csv PLACES: the largest distance of the centres of bodies in the last row of a run from the
# places that another program prints (name x y z). Fails where it is larger than `most`.
FNR == NR {
    if (FNR == 1) { count = split($0, names, ","); next }
    split($0, last, ",")
    next
}
FNR == 1 { for (i = 1; i <= count; i++) value[names[i]] = last[i] }
{
    line = $0
    gsub(/[^A-Za-z0-9_ .+-]/, "_", line)
    n = split(line, f, " ")
    name = f[1]
    for (i = 2; i <= n - 3; i++) name = name "_" f[i]
    gsub(/[^A-Za-z0-9_]/, "_", name)
    if (!((name ".x") in value)) { print "no body '" name "'"; bad = 1; next }
    dx = value[name ".x"] - f[n - 2]; dy = value[name ".y"] - f[n - 1]; dz = value[name ".z"] - f[n]
    d = sqrt(dx*dx + dy*dy + dz*dz)
    if (d > worst) { worst = d; at = name }
    bodies++
}
END { printf "%d bodies, largest difference %.2e (%s)\n", bodies, worst, at; if (bad || !bodies || !(worst <= most)) exit 1 }
