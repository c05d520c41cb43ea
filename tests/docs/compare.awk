# compare.awk EXPECTED ACTUAL: compares two outputs as run-examples.sh says. Prints what differs; exit status 1 if anything does.
BEGIN {
    NUMBER = "[-+]?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?"
    ROUND_OFF = 1e-9          # what is smaller may be round-off
    FACTOR = 30               # by which the round-off of two processors may differ
    ROUND_OFF_OF_ZERO = 1e-14 # what may be 0 on another processor: some units of the last place of numbers of size 1 to 10
    DIGITS = 1e-10            # of numbers with 17 digits, which rounding changes
}

FILENAME == ARGV[1] { expected[++expected_count] = $0; next }
{ actual[++actual_count] = $0 }

function size(x) { return x < 0 ? -x : x }

# One unit of the last digit of a number as written: 0.01 of 1.23, 1e-5 of 1.3e-4.
function unit(text,    mantissa, exponent) {
    mantissa = text
    sub(/[eE].*/, "", mantissa)
    exponent = text ~ /[eE]/ ? substr(text, match(text, /[eE]/) + 1) + 0 : 0
    if (mantissa ~ /\./) exponent -= length(mantissa) - index(mantissa, ".")
    return 10 ^ exponent
}

# What is left of rounding differs from one processor to the next, also in sign; its size does not.
function same_round_off(a, b,    least, largest) {
    least = size(a) < size(b) ? size(a) : size(b)
    largest = size(a) < size(b) ? size(b) : size(a)
    if (least == 0) return largest <= ROUND_OFF_OF_ZERO
    return largest <= ROUND_OFF && largest <= FACTOR * least
}

function near(a, b,    tolerance) {
    if (a == b) return 1
    if (a !~ /[.eE]/ && b !~ /[.eE]/) return 0 # counts
    if (same_round_off(a + 0, b + 0)) return 1
    # The last digit may be rounded the other way. The smaller unit: %g drops zeros, 0.1 stands beside 0.0999999. 1.001: the two are not
    # exact as doubles.
    tolerance = 1.001 * (unit(a) < unit(b) ? unit(a) : unit(b))
    if (tolerance < DIGITS * size(a)) tolerance = DIGITS * size(a)
    return size(a - b) <= tolerance
}

# Takes the times out of a summary.
function timeless(text) {
    gsub(/ in [-+.0-9e]+ s \([-+.0-9e]+ [mu]?s each, [-+.0-9e]+ [mu]?s of processor time, [.0-9]+ Newton/, " in some s (some us each, some Newton", text)
    sub(/ +[.0-9]+m?s( [nipg])?$/, " some time", text)
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
