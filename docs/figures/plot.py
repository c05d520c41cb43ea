#!/usr/bin/env python3
"""Draws docs/figures/double-spherical-pendulum.svg from three computations of the model of that name, each of 100,000
steps of 0.01 s: RATTLE, by the command `taut`; and, done here, the classical Runge-Kutta method on the same equations
with the constraints differentiated twice, alone and with a projection onto the constraints after every step.

    docs/figures/plot.py [TAUT] > docs/figures/double-spherical-pendulum.svg

Needs nothing but Python's standard library; takes a quarter of a minute. Prints the numbers that the README quotes to
stderr."""
import csv
import math
import os
import subprocess
import sys

STEP, END = 0.01, 1000.0
PATH_END = 30.0
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MODEL = os.path.join(ROOT, "models", "double-spherical-pendulum.lua")
G, M1, M2, L1, L2 = 9.81, 2.0, 3.5, 4.0, 3.0


# ---- the computations ----

def rattle(taut):
    """Rows of t, energy, largest bar error (m), and the two positions in the plan view."""
    command = [taut, "run", MODEL, "-m", "rattle", "-s", str(STEP), "-T", str(END), "--csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for row in csv.DictReader(process.stdout):
            x = [float(row[name]) for name in ("a.x", "a.y", "a.z", "b.x", "b.y", "b.z")]
            yield float(row["t"]), float(row["energy"]), bar_error(x), x
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
        yield n * h, energy, bar_error(s), s
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
    """What the figure needs of a run: the largest energy error in each of `count` intervals, and the path at first."""

    def __init__(self, rows, count):
        self.largest = [0.0] * count
        self.path, self.bars, self.low, self.high = [], 0.0, 0.0, 0.0
        first = None
        for t, energy, bars, x in rows:
            first = energy if first is None else first
            i = min(count - 1, int(t / END * count))
            error = energy - first
            self.largest[i] = max(self.largest[i], abs(error))
            self.low, self.high, self.bars = min(self.low, error), max(self.high, error), max(self.bars, bars)
            if t <= PATH_END + 1e-9:
                self.path.append(x[:6])
            self.last = error


# ---- drawing ----

STYLE = """
  text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #57606a }
  .title { font-size: 14px; font-weight: 600; fill: #24292f }
  .axis { stroke: #8c959f; fill: none } .grid { stroke: #d0d7de; fill: none }
  .first, .second, .other, .slower { fill: none; stroke-linejoin: round }
  .first { stroke: #0969da } .second { stroke: #bc4c00 } .other { stroke: #cf222e } .slower { stroke: #8c959f }
  .label-other { fill: #cf222e } .label-first { fill: #0969da } .bar { stroke: #57606a; fill: none }
  .bob-first { fill: #0969da } .bob-second { fill: #bc4c00 } .pivot { fill: #57606a }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1 } .title { fill: #f0f6fc }
    .axis { stroke: #656c76 } .grid { stroke: #3d444d }
    .first { stroke: #4493f8 } .second { stroke: #f0883e } .other { stroke: #ff7b72 }
    .label-first, .bob-first { fill: #4493f8 } .label-other { fill: #ff7b72 }
    .bob-second { fill: #f0883e } .bar { stroke: #9198a1 } .pivot { fill: #9198a1 }
  }
"""
WIDTH, HEIGHT = 880, 400


def number(x):
    return f"{x:.1f}".rstrip("0").rstrip(".")


def line(points, style, width):
    text = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<polyline class="{style}" stroke-width="{width}" points="{text}"/>'


def text(x, y, words, style="", anchor="start"):
    mark = f' class="{style}"' if style else ""
    return f'<text x="{number(x)}" y="{number(y)}"{mark} text-anchor="{anchor}">{words}</text>'


def plan(path, left, top, size):
    """The paths of both bobs, seen from above."""
    out = [text(left, top - 14, f"The pendulum from above, first {PATH_END:g} s", "title")]
    reach = L1 + L2
    scale = size / 2 / reach
    cx, cy = left + size / 2, top + size / 2
    place = lambda x, y: (cx + x * scale, cy - y * scale)
    out.append(f'<circle class="grid" cx="{number(cx)}" cy="{number(cy)}" r="{number(L1 * scale)}"/>')
    out.append(f'<circle class="grid" cx="{number(cx)}" cy="{number(cy)}" r="{number(reach * scale)}"/>')
    out.append(text(cx + reach * scale * 0.707 + 6, cy + reach * scale * 0.707 + 14, "7 m"))
    out.append(line([place(x[3], x[4]) for x in path[::2]], "second", 1))
    out.append(line([place(x[0], x[1]) for x in path[::2]], "first", 1))
    last = path[-1]
    a, b = place(last[0], last[1]), place(last[3], last[4])
    out.append(line([(cx, cy), a, b], "bar", 2.5))
    for x, y, style, r in ((cx, cy, "pivot", 3), (*a, "bob-first", 5), (*b, "bob-second", 6)):
        out.append(f'<circle class="{style}" cx="{number(x)}" cy="{number(y)}" r="{r}"/>')
    return out


def energies(kept, drifting, slower, left, top, width, height):
    """Largest energy error by time, on a logarithmic scale."""
    out = [text(left, top - 14, "Energy error in 100,000 steps of 0.01 s", "title")]
    bottom, decades = -6, 8
    count = len(kept.largest)
    y = lambda e: top + height * (1 - (math.log10(e) - bottom) / decades)
    x = lambda i: left + width * (i + 0.5) / count
    for k in range(decades + 1):
        level = top + height * (1 - k / decades)
        out.append(f'<path class="{"axis" if k == 0 else "grid"}" d="M{number(left)} {number(level)}h{number(width)}"/>')
        words = {0: "1 J", 1: "10 J", 2: "100 J"}.get(bottom + k)
        words = words or f'10<tspan font-size="9" dy="-5">\u2212{-(bottom + k)}</tspan>'
        out.append(text(left - 8, level + 4, words, anchor="end"))
    for seconds in range(0, 1001, 200):
        mark = left + width * seconds / END
        out.append(text(mark, top + height + 18, f"{seconds} s" if seconds else "0", anchor="end" if seconds == END else "middle"))
    for trace, style in ((slower, "slower"), (drifting, "other"), (kept, "first")):
        out.append(line([(x(i), y(e)) for i, e in enumerate(trace.largest)], style, 1.6))
    out.append(text(x(count * 0.55), y(1.9), "Runge-Kutta 4: drifts", "label-other", "start"))
    out.append(text(x(count * 0.55), y(0.0055), "rattle: stays bounded", "label-first", "start"))
    out.append(text(x(count * 0.55), y(0.000135), "Runge-Kutta 4 with projection", "", "start"))
    return out


def main():
    taut = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "taut")
    kept, drifting, slower = Trace(rattle(taut), 420), Trace(runge_kutta(False), 420), Trace(runge_kutta(True), 420)
    for name, trace in (("rattle", kept), ("Runge-Kutta 4", drifting), ("projected", slower)):
        print(f"{name:14} energy error {trace.low:+.3g} .. {trace.high:+.3g} J, {trace.last:+.3g} J at the end;"
              f" bar lengths within {trace.bars:.2g} m", file=sys.stderr)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">')
    print("<title>Double spherical pendulum: paths, and the energy error of rattle and of a Runge-Kutta method, with and without projection</title>")
    print(f"<style>{STYLE}</style>")
    for item in plan(kept.path, 16, 44, 330) + energies(kept, drifting, slower, 430, 44, 434, 312):
        print(item)
    print("</svg>")


if __name__ == "__main__":
    main()
