#!/usr/bin/env python3
"""The numbers of src/base/elementary.h: polynomials, tables, reductions (needs python3-mpmath).

elementary.py FILE rewrites in FILE what stands between a line `/* numbers: NAME */` and the next `/* end of numbers */`.

Polynomials are the best ones in the largest error relative to the result they are part of, by Remez's exchange. That error, with
the coefficients rounded to double, is written beside each of them."""
import re
import sys

import mpmath as mp

mp.mp.dps = 60


def written(x):
    """A double as C reads it back."""
    text = float(x).hex()
    return re.sub(r"\.?0*p", "p", text) if "." in text else text


def rounded(x, unit):
    """The nearest multiple of 2^unit."""
    return mp.nint(mp.ldexp(x, -unit)) * mp.ldexp(1, unit)


def array(name, values, columns=4):
    """A C array, of doubles or of texts."""
    texts = [v if isinstance(v, str) else written(v) for v in values]
    rows = [", ".join(texts[i:i + columns]) for i in range(0, len(texts), columns)]
    return ["TAUT_TABLE double %s[%d] = {" % (name, len(texts))] + ["    " + row + "," for row in rows] + ["};"]


def value(p, x):
    return mp.polyval(list(reversed(p)), x)


def exchange(points, wanted, weight, first, degree):
    """Remez's exchange over the given points: sum_{j >= first} c_j x^j, nearest to wanted in the largest weighted error."""
    powers, n = range(first, degree + 1), degree - first + 1
    usable = [i for i in range(len(points)) if weight[i] > mp.mpf(10) ** -40]
    chosen = [usable[int(round((len(usable) - 1) * (1 - mp.cos(mp.pi * i / n)) / 2))] for i in range(n + 1)]
    for _ in range(30):
        rows = [[points[i] ** j for j in powers] + [(-1) ** k / weight[i]] for k, i in enumerate(chosen)]
        solved = mp.lu_solve(mp.matrix(rows), mp.matrix([wanted[i] for i in chosen]))
        c = [mp.mpf(0)] * first + [solved[k] for k in range(n)]
        error = [(i, (value(c, points[i]) - wanted[i]) * weight[i]) for i in usable]
        best = []  # the largest error of every stretch of one sign
        for i, e in error:
            if best and (e > 0) == (best[-1][1] > 0):
                if abs(e) > abs(best[-1][1]):
                    best[-1] = (i, e)
            else:
                best.append((i, e))
        while len(best) > n + 1:
            best.pop(0 if abs(best[0][1]) < abs(best[-1][1]) else -1)
        if len(best) < n + 1 or [i for i, _ in best] == chosen:
            break
        chosen = [i for i, _ in best]
    return c


def fitted(name, f, low, high, degree, share):
    """An array of a polynomial; share(x) is its part in the result: errors are relative to the result. Where x has one
    sign, the first coefficients are rounded before the others are sought."""
    low, high = mp.mpf(low), mp.mpf(high)
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / 800) for i in range(400)]
    wanted, weight = [f(x) for x in points], [abs(share(x)) for x in points]
    p = []
    for first in (0, 1, 2) if low >= 0 else (0,):
        if first <= degree:
            rest = exchange(points, [w - value(p, x) if p else w for x, w in zip(points, wanted)], weight, first, degree)
            p.append(mp.mpf(float(rest[first])))
    p += [mp.mpf(float(c)) for c in rest[len(p):]]
    worst = max(abs(value(p, x) - w) * s for x, w, s in zip(points, wanted, weight))
    return ["/* error 2^%.1f of the result */" % mp.log(worst, 2)] + array(name, p)


# ---- power series, for small arguments ----

def tail(coefficient):
    """z -> sum_k coefficient(k) z^k, to 60 digits for |z| <= 1 or so; coefficients fall, or z does."""
    def f(z):
        total, power = mp.mpf(0), mp.mpf(1)
        for k in range(2000):
            term = coefficient(k) * power
            total += term
            power *= z
            if abs(term) < mp.mpf(10) ** -58 and k > 3:
                break
        return total
    return f


def closed(exact, small, switch="1e-3"):
    """exact(z), but small(z) near 0 where it cancels."""
    return lambda z: small(z) if abs(z) < mp.mpf(switch) else exact(z)


def high_precision(f):
    """f with twice the digits, against cancellation."""
    def g(x):
        with mp.workdps(150):
            return f(mp.mpf(x))
    return g


def numbers():
    out = {}
    sin_tail = tail(lambda k: (-1) ** (k + 1) / mp.factorial(2 * k + 3))   # sin x = x + x z f(z)
    cos_tail = tail(lambda k: (-1) ** k / mp.factorial(2 * k + 4))         # cos x = 1 - z/2 + z^2 f(z)
    sinh_tail = tail(lambda k: 1 / mp.factorial(2 * k + 3))
    root = lambda z: mp.sqrt(z)

    # k pi/32 = k (P1 + P2 + P3): P1 and P2 have 31 bits, so that products with k < 2^22 are exact
    step = mp.pi / 32
    p1 = rounded(step, -34)
    p2 = rounded(step - p1, -66)
    out["angle"] = ["#define TAUT_ANGLE_SCALE %s" % written(1 / step), "#define TAUT_ANGLE_1 %s" % written(p1),
                    "#define TAUT_ANGLE_2 %s" % written(p2), "#define TAUT_ANGLE_3 %s" % written(step - p1 - p2)]
    high = mp.mpf(float(step))
    out["angle"] += ["#define TAUT_ANGLE_HIGH %s" % written(high), "#define TAUT_ANGLE_LOW %s" % written(step - high)]
    half_pi = mp.pi / 2
    high = mp.mpf(float(half_pi))
    out["half_pi_pair"] = ["#define TAUT_HALF_PI_HIGH %s" % written(high),
                           "#define TAUT_HALF_PI_LOW %s" % written(half_pi - high)]
    with mp.workdps(420):
        bits = int(mp.floor(mp.ldexp(2 / mp.pi, 32 * 40)))
    limbs = ["0x%08xu" % ((bits >> (32 * (39 - i))) & 0xffffffff) for i in range(40)]
    out["two_over_pi"] = (["TAUT_TABLE uint32_t taut_two_over_pi[40] = {"]
                          + ["    " + ", ".join(limbs[i:i + 8]) + "," for i in range(0, 40, 8)] + ["};"])
    # sin(k pi/32): 26 bits, the rest
    table = []
    for k in range(64):
        x = mp.mpf(0) if k % 32 == 0 else mp.mpf(2 - k // 16) if k % 16 == 0 else mp.sin(k * step)
        first = rounded(x, int(mp.floor(mp.log(abs(x), 2))) - 25) if x else x
        table += [first, x - first]
    reach = (step / 2 * (1 + mp.mpf(2) ** -20)) ** 2
    out["circular"] = fitted("taut_sin_p", sin_tail, 0, reach, 2, lambda z: z)
    out["circular"] += fitted("taut_cos_p", cos_tail, 0, reach, 2, lambda z: z * z)
    out["circular"] += array("taut_sin_table", table)

    # exp: 2^(k/32) from a table, k ln2/32 = k (L1 + L2)
    step = mp.log(2) / 32
    l1 = rounded(step, -42)
    out["exp"] = ["#define TAUT_EXP_SCALE %s" % written(1 / step), "#define TAUT_EXP_STEP_1 %s" % written(l1),
                  "#define TAUT_EXP_STEP_2 %s" % written(step - l1)]
    exp_tail = tail(lambda k: 1 / mp.factorial(k + 2))                     # e^r = 1 + r + r^2 f(r)
    out["exp"] += fitted("taut_exp_p", exp_tail, -step / 2, step / 2, 4, lambda r: r * r)
    table = []
    for i in range(32):
        x = mp.mpf(2) ** (mp.mpf(i) / 32)
        table += [mp.mpf(float(x)), x - mp.mpf(float(x))]
    out["exp"] += array("taut_exp_table", table)
    # sinh r = r + r z f(z), cosh r = 1 + z g(z)
    out["exp_parts"] = fitted("taut_exp_odd_p", sinh_tail, 0, (step / 2) ** 2, 1, lambda z: z * root(z))
    out["exp_parts"] += fitted("taut_exp_even_p", tail(lambda k: 1 / mp.factorial(2 * k + 2)), 0, (step / 2) ** 2, 2,
                               lambda z: z)

    # log: m in [begin, 2 begin), 64 intervals; factors of at most 12 bits bring m near 1
    begin = 1 - mp.mpf(1) / 256 - mp.mpf(39) / 128
    table, most = [], 0
    for i in range(64):
        at = lambda j: begin + mp.mpf(j) / 128 if begin + mp.mpf(j) / 128 < 1 else 1 + (begin + mp.mpf(j) / 128 - 1) * 2
        a, b = at(i), at(i + 1)
        factor = mp.mpf(1) if a < 1 < b else rounded(2 / (a + b), -11)
        logarithm = -mp.log(factor)
        high = rounded(logarithm, -42)
        table += [factor, high, logarithm - high]
        reach = max(abs(a * factor - 1), abs(b * factor - 1))
        assert factor == 1 or abs(logarithm) > reach
        most = max(most, reach)
    ln2 = rounded(mp.log(2), -42)
    log_tail = tail(lambda k: mp.mpf((-1) ** k) / (k + 3))                 # log(1 + r) = r - r^2/2 + r^3 f(r)
    out["log"] = ["#define TAUT_LOG_BEGIN 0x%016xu /* bits of %s */" % (bits_of(begin), mp.nstr(begin, 12)),
                  "#define TAUT_LN2_HIGH %s" % written(ln2), "#define TAUT_LN2_LOW %s" % written(mp.log(2) - ln2)]
    out["log"] += fitted("taut_log_p", log_tail, -most, most, 7, lambda r: r * r)
    out["log"] += array("taut_log_table", table, 3)

    # cbrt of m in [1, 2): a first approximation; then (1 + e)^(1/3) = 1 + e f(e)
    out["cbrt"] = fitted("taut_cbrt_start_p", mp.cbrt, 1, 2, 5, lambda m: 1 / mp.cbrt(m))
    reach = mp.mpf(2) ** -13
    cbrt_tail = tail(lambda k: mp.binomial(mp.mpf(1) / 3, k + 1))
    out["cbrt"] += fitted("taut_cbrt_p", cbrt_tail, -reach, reach, 3, lambda e: e)
    out["cbrt"] += array("taut_cbrt_root", [1, mp.cbrt(2), mp.cbrt(4)], 3)

    # atan t = t + t z f(z), |t| <= 1/8; beyond, from the nearest of j/64
    atan_tail = tail(lambda k: mp.mpf((-1) ** (k + 1)) / (2 * k + 3))
    out["atan"] = fitted("taut_atan_p", atan_tail, 0, mp.mpf(1) / 64, 6, lambda z: z)
    table = []
    for j in range(65):
        x = mp.atan(mp.mpf(j) / 64)
        table += [mp.mpf(float(x)), x - mp.mpf(float(x))]
    out["atan"] += array("taut_atan_table", table)

    # asin x = x + x z f(z), |x| <= 1/2
    asin_tail = tail(lambda k: mp.binomial(2 * k + 2, k + 1) / mp.mpf(4) ** (k + 1) / (2 * k + 3))
    out["asin"] = fitted("taut_asin_p", asin_tail, 0, mp.mpf(1) / 4, 12, lambda z: z)

    out["sinh"] = fitted("taut_sinh_p", sinh_tail, 0, mp.mpf(1) / 4, 5, lambda z: z)
    tanh_tail = closed(high_precision(lambda z: (mp.tanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z),
                       tail(lambda k: mp.mpf(2) ** (2 * k + 4) * (mp.mpf(2) ** (2 * k + 4) - 1) * mp.bernoulli(2 * k + 4)
                            / mp.factorial(2 * k + 4)))
    out["tanh"] = fitted("taut_tanh_p", tanh_tail, 0, mp.mpf(1) / 16, 7, lambda z: z)

    atanh_tail = tail(lambda k: mp.mpf(1) / (2 * k + 3))
    out["atanh"] = fitted("taut_atanh_p", atanh_tail, 0, mp.mpf(1) / 16, 9, lambda z: z)

    # even quotients F(x)/x and two derivatives: 1 + z f(z) up to half as far, x g(z), h(z)
    reciprocal = {"sinc": lambda k: mp.mpf((-1) ** k) / mp.factorial(2 * k + 1),
                  "sinhc": lambda k: 1 / mp.factorial(2 * k + 1),
                  "atanc": lambda k: mp.mpf((-1) ** k) / (2 * k + 1),
                  "atanhc": lambda k: mp.mpf(1) / (2 * k + 1)}
    exact = {"atanc": high_precision(lambda z: mp.atan(mp.sqrt(z)) / mp.sqrt(z))}
    for name, reach, degrees in (("sinc", 1, (5, 7, 8)), ("sinhc", 1, (5, 7, 8)), ("atanc", 1, (0, 22, 25)),
                                 ("atanhc", mp.mpf(1) / 4, (0, 14, 15))):
        c = reciprocal[name]
        f0 = tail(lambda k: c(k + 1))
        f1 = tail(lambda k: c(k + 1) * (2 * k + 2))
        f2 = tail(lambda k: c(k + 1) * (2 * k + 2) * (2 * k + 1))
        if name == "atanc":  # the series do not converge at 1
            small, at = mp.mpf("0.3"), exact["atanc"]
            f0, f1, f2 = (closed(high_precision(lambda z: (at(z) - 1) / z), f0, small),
                          closed(high_precision(lambda z: (1 / (1 + z) - at(z)) / z), f1, small),
                          closed(high_precision(lambda z: -2 / (1 + z) ** 2 - 2 * (1 / (1 + z) - at(z)) / z), f2, small))
        out[name] = []
        if degrees[0]:
            out[name] += fitted("taut_%s_0" % name, f0, 0, reach / 4, degrees[0], lambda z: z / (1 + z * f0(z)))
        # those of atanc in z - 1/2: powers of z would cancel near 1
        middle = mp.mpf(1) / 2 if name == "atanc" else mp.mpf(0)
        g1, g2 = (lambda t: f1(t + middle)), (lambda t: f2(t + middle))
        out[name] += fitted("taut_%s_1" % name, g1, -middle, reach - middle, degrees[1], lambda t: 1 / g1(t))
        out[name] += fitted("taut_%s_2" % name, g2, -middle, reach - middle, degrees[2],
                            lambda t: 1 / max(abs(g2(t)), mp.mpf("0.05")))
    return out


def bits_of(x):
    import struct
    return struct.unpack("<Q", struct.pack("<d", float(x)))[0]


def main():
    path = sys.argv[1]
    with open(path) as file:
        text = file.read()
    for name, lines in numbers().items():
        pattern = re.compile(r"(/\* numbers: %s \*/\n).*?(/\* end of numbers \*/)" % name, re.S)
        assert len(pattern.findall(text)) == 1, name
        text = pattern.sub(lambda m: m.group(1) + "\n".join(lines) + "\n" + m.group(2), text)
    with open(path, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
