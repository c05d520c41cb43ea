# compare.awk EXPECTED ACTUAL: compares two outputs as run-examples.sh says. Prints what differs; exit status 1 if anything does.
BEGIN { NUMBER = "[-+]?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?" }

FILENAME == ARGV[1] { expected[++expected_count] = $0; next }
{ actual[++actual_count] = $0 }

# Significant digits of a number as written.
function digits(text) {
    sub(/[eE].*/, "", text)
    gsub(/[-+.]/, "", text)
    sub(/^0+/, "", text)
    return length(text)
}

function size(x) { return x < 0 ? -x : x }

function near(a, b,    difference, largest) {
    if (a == b) return 1
    largest = size(a + 0) > size(b + 0) ? size(a + 0) : size(b + 0)
    if (largest < 1e-9) return 1
    if (digits(a) <= 2 && digits(b) <= 2)
        return (a + 0) * (b + 0) > 0 && largest <= 2.5 * size(a + 0) && largest <= 2.5 * size(b + 0)
    difference = size(a - b)
    return difference <= 1e-3 * largest
}

# Takes the times out of a summary.
function timeless(text) {
    gsub(/ in [-+.0-9e]+ s \([-+.0-9e]+ us each, [.0-9]+ Newton/, " in some s (some us each, some Newton", text)
    sub(/ +[.0-9]+m?s$/, " some time", text)
    return text
}

function same(a, b,    x, y) {
    a = timeless(a)
    b = timeless(b)
    sub(/ +$/, "", a)
    sub(/ +$/, "", b)
    while (match(a, NUMBER)) {
        x = substr(a, RSTART, RLENGTH)
        if (substr(b, 1, RSTART - 1) != substr(a, 1, RSTART - 1)) return 0
        a = substr(a, RSTART + RLENGTH)
        b = substr(b, RSTART)
        if (!match(b, NUMBER) || RSTART != 1) return 0
        y = substr(b, 1, RLENGTH)
        b = substr(b, RLENGTH + 1)
        if (!near(x, y)) return 0
    }
    if (a ~ /\.\.\.$/) return substr(b, 1, length(a) - 3) == substr(a, 1, length(a) - 3)
    return a == b
}

END {
    j = 1
    for (i = 1; i <= expected_count; i++) {
        if (expected[i] == "...") {
            if (i == expected_count) exit 0
            while (j <= actual_count && !same(expected[i + 1], actual[j])) j++
            continue
        }
        if (j > actual_count) { print "  ends before: " expected[i]; exit 1 }
        if (!same(expected[i], actual[j])) { print "  expected: " expected[i]; print "  printed:  " actual[j]; exit 1 }
        j++
    }
    if (j <= actual_count) { print "  prints more: " actual[j]; exit 1 }
}
