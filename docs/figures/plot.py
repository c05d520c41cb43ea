#!/usr/bin/env python3
"""Draws docs/figures/double-spherical-pendulum.svg: the energy error of five computations of the model of that name, each
of 100,000 steps of 0.01 s: rattle, lobatto:s=3 and em, by the command `taut`; and, done here, the classical Runge-Kutta
method on the same equations with the constraints differentiated twice, alone and with a projection onto the constraints
after every step.

    docs/figures/plot.py [TAUT] > docs/figures/double-spherical-pendulum.svg

Needs nothing but Python's standard library; takes half a minute. Prints the numbers that the README quotes to
stderr."""
import csv
import math
import os
import subprocess
import sys

STEP, END = 0.01, 1000.0
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MODEL = os.path.join(ROOT, "models", "double-spherical-pendulum.lua")
G, M1, M2, L1, L2 = 9.81, 2.0, 3.5, 4.0, 3.0


# ---- the computations ----

def by_taut(taut, method):
    """Rows of t, energy and largest bar error (m)."""
    command = [taut, "run", MODEL, "-m", method, "-s", str(STEP), "-T", str(END), "--csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for row in csv.DictReader(process.stdout):
            x = [float(row[name]) for name in ("a.x", "a.y", "a.z", "b.x", "b.y", "b.z")]
            yield float(row["t"]), float(row["energy"]), bar_error(x)
    if process.returncode:
        sys.exit(process.returncode)


def bar_error(x):
    a = (x[0] ** 2 + x[1] ** 2 + x[2] ** 2) ** 0.5
    b = ((x[3] - x[0]) ** 2 + (x[4] - x[1]) ** 2 + (x[5] - x[2]) ** 2) ** 0.5
    return max(abs(a - L1), abs(b - L2))


def multipliers(a, d, r1, r2):
    """p, q with G M^-1 G' (p, q) = (r1, r2) for g = (a.a - l1^2, d.d - l2^2), d = b - a; both times 2."""
    aa, ad, dd = dot(a, a), dot(a, d), dot(d, d)
    m11, m12, m22 = 4 * aa / M1, -4 * ad / M1, 4 * dd * (1 / M1 + 1 / M2)
    determinant = m11 * m22 - m12 * m12
    return 2 * (r1 * m22 - r2 * m12) / determinant, 2 * (r2 * m11 - r1 * m12) / determinant


def dot(x, y):
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def minus(x, y):
    return x[0] - y[0], x[1] - y[1], x[2] - y[2]


def moved(a, b, p, q, x, y):
    """x + M1^-1 (p a - q d), y + M2^-1 q d: what constraint forces p, q do to the two masses."""
    d = minus(b, a)
    return ([x[i] + (p * a[i] - q * d[i]) / M1 for i in range(3)], [y[i] + q * d[i] / M2 for i in range(3)])


def acceleration(s):
    """M q'' = f + G' lambda with g'' = 0."""
    a, b, u, v = s[0:3], s[3:6], s[6:9], s[9:12]
    d, e = minus(b, a), minus(v, u)
    p, q = multipliers(a, d, -2 * dot(u, u) + 2 * a[2] * G, -2 * dot(e, e))
    x, y = moved(a, b, p, q, (0, 0, -G), (0, 0, -G))
    return [*u, *v, *x, *y]


def projected(s):
    """The nearest state, in the metric of the masses, with g = 0 and g' = 0."""
    a, b, u, v = s[0:3], s[3:6], s[6:9], s[9:12]
    for _ in range(4):
        d = minus(b, a)
        p, q = multipliers(a, d, L1 ** 2 - dot(a, a), L2 ** 2 - dot(d, d))
        a, b = moved(a, b, p, q, a, b)
    d = minus(b, a)
    p, q = multipliers(a, d, -2 * dot(a, u), -2 * dot(d, minus(v, u)))
    u, v = moved(a, b, p, q, u, v)
    return [*a, *b, *u, *v]


def runge_kutta(project):
    s, h = consistent_start(), STEP
    for n in range(int(round(END / STEP)) + 1):
        energy = (M1 * dot(s[6:9], s[6:9]) + M2 * dot(s[9:12], s[9:12])) / 2 + G * (M1 * s[2] + M2 * s[5])
        yield n * h, energy, bar_error(s)
        k1 = acceleration(s)
        k2 = acceleration([x + h / 2 * k for x, k in zip(s, k1)])
        k3 = acceleration([x + h / 2 * k for x, k in zip(s, k2)])
        k4 = acceleration([x + h * k for x, k in zip(s, k3)])
        s = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(s, k1, k2, k3, k4)]
        if project:
            s = projected(s)


def consistent_start():
    """The model's start, with heights and their rates from the constraints."""
    ax, ay, bx, by, ux, uy, vx, vy = 2.820, 0.025, 5.085, 0.105, 3.381, 2.506, 2.497, 10.495
    az = -(L1 ** 2 - ax ** 2 - ay ** 2) ** 0.5
    bz = az - (L2 ** 2 - (bx - ax) ** 2 - (by - ay) ** 2) ** 0.5
    uz = -(ax * ux + ay * uy) / az
    vz = uz - ((bx - ax) * (vx - ux) + (by - ay) * (vy - uy)) / (bz - az)
    return [ax, ay, az, bx, by, bz, ux, uy, uz, vx, vy, vz]


class Trace:
    """What the figure needs of a run: the largest energy error in each of `count` intervals."""

    def __init__(self, rows, count):
        self.largest = [0.0] * count
        self.bars, self.low, self.high = 0.0, 0.0, 0.0
        first = None
        for t, energy, bars in rows:
            first = energy if first is None else first
            i = min(count - 1, int(t / END * count))
            error = energy - first
            self.largest[i] = max(self.largest[i], abs(error))
            self.low, self.high, self.bars = min(self.low, error), max(self.high, error), max(self.bars, bars)
            self.last = error


# ---- drawing ----

STYLE = """
  text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #57606a }
  .title { font-size: 14px; font-weight: 600; fill: #24292f }
  .axis { stroke: #8c959f; fill: none } .grid { stroke: #d0d7de; fill: none }
  polyline { fill: none; stroke-linejoin: round }
  .rattle { stroke: #0969da } .lobatto { stroke: #1a7f37 } .em { stroke: #8250df } .naive { stroke: #cf222e } .projected { stroke: #bc4c00 }
  text.rattle { fill: #0969da; stroke: none } text.lobatto { fill: #1a7f37; stroke: none } text.em { fill: #8250df; stroke: none }
  text.naive { fill: #cf222e; stroke: none } text.projected { fill: #bc4c00; stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .title { fill: #f0f6fc }
    .axis { stroke: #656c76 } .grid { stroke: #3d444d }
    .rattle { stroke: #4493f8 } .lobatto { stroke: #3fb950 } .em { stroke: #ab7df8 } .naive { stroke: #ff7b72 } .projected { stroke: #f0883e }
    text.rattle { fill: #4493f8 } text.lobatto { fill: #3fb950 } text.em { fill: #ab7df8 } text.naive { fill: #ff7b72 } text.projected { fill: #f0883e }
  }
"""
WIDTH, HEIGHT = 620, 400


def number(x):
    return f"{x:.1f}".rstrip("0").rstrip(".")


def line(points, style, width):
    text = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<polyline class="{style}" stroke-width="{width}" points="{text}"/>'


def text(x, y, words, style="", anchor="start"):
    mark = f' class="{style}"' if style else ""
    return f'<text x="{number(x)}" y="{number(y)}"{mark} text-anchor="{anchor}">{words}</text>'


def energies(traces, left, top, width, height):
    """Largest energy error by time, on a logarithmic scale. traces: name, where its words stand, trace."""
    out = [text(left, top - 14, "Energy error in 100,000 steps of 0.01 s", "title")]
    bottom, decades, each = -14, 16, 2
    y = lambda e: top + height * (1 - (math.log10(max(e, 10.0 ** bottom)) - bottom) / decades)
    for k in range(0, decades + 1, each):
        level = top + height * (1 - k / decades)
        out.append(f'<path class="{"axis" if k == 0 else "grid"}" d="M{number(left)} {number(level)}h{number(width)}"/>')
        words = {0: "1 J", 2: "100 J"}.get(bottom + k)
        words = words or f'10<tspan font-size="9" dy="-5">\u2212{-(bottom + k)}</tspan>'
        out.append(text(left - 8, level + 4, words, anchor="end"))
    for seconds in range(0, 1001, 200):
        mark = left + width * seconds / END
        out.append(text(mark, top + height + 18, f"{seconds} s" if seconds else "0", anchor="end" if seconds == END else "middle"))
    for style, words, level, trace in traces:
        count = len(trace.largest)
        out.append(line([(left + width * (i + 0.5) / count, y(e)) for i, e in enumerate(trace.largest)], style, 1.6))
        out.append(text(left + 0.36 * width, y(level), words, style))
    return out


def main():
    taut = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "taut")
    runs = [("naive", "Runge-Kutta 4: drifts, bars stretch", 12, runge_kutta(False)),
            ("rattle", "rattle: order 2, stays bounded", 4e-3, by_taut(taut, "rattle")),
            ("projected", "Runge-Kutta 4 with projection: drifts", 3e-5, runge_kutta(True)),
            ("lobatto", "lobatto:s=3: order 4, stays bounded", 1.5e-7, by_taut(taut, "lobatto:s=3")),
            ("em", "em: exact, but for round-off", 4e-12, by_taut(taut, "em"))]
    traces = [(style, words, level, Trace(rows, 260)) for style, words, level, rows in runs]
    for name, _, _, trace in traces:
        print(f"{name:14} energy error {trace.low:+.3g} .. {trace.high:+.3g} J, {trace.last:+.3g} J at the end;"
              f" bar lengths within {trace.bars:.2g} m", file=sys.stderr)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">')
    print("<title>Double spherical pendulum: the energy error of rattle, lobatto:s=3 and em, and of a Runge-Kutta method, with and without projection</title>")
    print(f"<style>{STYLE}</style>")
    for item in energies(traces, 60, 44, 544, 320):
        print(item)
    print("</svg>")


if __name__ == "__main__":
    main()
