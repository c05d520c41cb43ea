# A plot with logarithmic axes, as SVG. Input: lines SERIES<tab>X<tab>Y<tab>COLOUR, with the number of a colour; of one
# series, the points in order.
# -v title= -v xlabel= -v ylabel= ; a series whose name begins with "hand" is drawn dashed.
BEGIN {
    FS = "\t"
    split("#1b6ca8 #c0392b #2e8b57 #8e5bb5 #d98e04 #14919b #7a7a7a #b0417a #5c7a29 #34495e", colour, " ")
    left = 70; top = 40; width = 520; height = 360; legend = 210
}
function lg(x) { return log(x)/log(10) }
function px(x) { return left + width*(lg(x) - x0)/(x1 - x0) }
function py(y) { return top + height*(y1 - lg(y))/(y1 - y0) }
function floor(x,  i) { i = int(x); return i > x ? i - 1 : i }
function label(e) { return "10<tspan dy=\"-5\" font-size=\"9\">" e "</tspan>" }
$2 > 0 && $3 > 0 {
    if (!($1 in points)) { names[++series] = $1; points[$1] = 0; hue[$1] = colour[$4] }
    n = ++points[$1]
    x[$1, n] = $2; y[$1, n] = $3
    if (!any++) { x0 = x1 = lg($2); y0 = y1 = lg($3) }
    if (lg($2) < x0) x0 = lg($2)
    if (lg($2) > x1) x1 = lg($2)
    if (lg($3) < y0) y0 = lg($3)
    if (lg($3) > y1) y1 = lg($3)
}
END {
    if (!any) exit
    x0 = floor(x0 + 1e-6); x1 = -floor(-x1 + 1e-6); y0 = floor(y0 + 1e-6); y1 = -floor(-y1 + 1e-6)
    if (x1 == x0) x1++
    if (y1 == y0) y1++
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"", \
           left + width + legend, top + height + 50
    print " font-family=\"sans-serif\" font-size=\"12\">"
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    printf "<text x=\"%d\" y=\"22\" font-size=\"14\">%s</text>\n", left, title
    for (e = x0; e <= x1; e++) {
        at = left + width*(e - x0)/(x1 - x0)
        printf "<path d=\"M%.1f %dV%d\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
               at, top, top + height, at, top + height + 18, label(e)
    }
    for (e = y0; e <= y1; e++) {
        at = top + height*(y1 - e)/(y1 - y0)
        printf "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
               left, at, left + width, left - 6, at + 4, label(e)
    }
    printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#555\"/>\n", \
           left, top, width, height
    printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", left + width/2, top + height + 40, xlabel
    printf "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", top + height/2, ylabel
    for (s = 1; s <= series; s++) {
        name = names[s]; c = hue[name]; path = ""
        for (i = 1; i <= points[name]; i++)
            path = path sprintf("%s%.1f %.1f", i == 1 ? "M" : "L", px(x[name, i]), py(y[name, i]))
        dash = name ~ /^hand/ ? " stroke-dasharray=\"5 3\"" : ""
        printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s/>\n", path, c, dash
        for (i = 1; i <= points[name]; i++)
            printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", px(x[name, i]), py(y[name, i]), c
        at = top + 10 + 18*(s - 1)
        printf "<path d=\"M%d %dh24\" stroke=\"%s\" stroke-width=\"1.6\"%s/><text x=\"%d\" y=\"%d\">%s</text>\n",
               left + width + 12, at, c, dash, left + width + 42, at + 4, name
    }
    print "</svg>"
}
