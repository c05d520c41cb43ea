#!/usr/bin/env python3
"""Draws docs/figures/joint-NAME.svg: a small picture of every joint, the first body grey, the second blue, its freedoms
as red arrows.

    docs/figures/joints.py

Needs nothing but Python's standard library."""
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEIGHT, SCALE = 220, 150, 44
GREY, BLUE, RED, LINE = ("#d9d9d9", "#bdbdbd", "#a3a3a3"), ("#a8c8ec", "#7fabdd", "#5e8fc9"), "#c62828", "#333333"
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def add(a, b, k=1.0):
    return tuple(p + k * q for p, q in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    length = math.sqrt(sum(p * p for p in a))
    return tuple(p / length for p in a)


def flat(p):
    """x to the right and a little down, y to the back, z up."""
    x = 0.94 * p[0] + 0.5 * p[1]
    y = 0.2 * p[0] - 0.42 * p[1] - 0.95 * p[2]
    return WIDTH / 2 + SCALE * x, HEIGHT / 2 + SCALE * y


class Picture:
    def __init__(self):
        self.parts = []

    def path(self, points, fill="none", stroke=LINE, width=1.0, closed=True, more=""):
        d = "M" + " L".join("%.1f %.1f" % flat(p) for p in points) + (" Z" if closed else "")
        self.parts.append(f'<path d="{d}" fill="{fill}" stroke="{stroke}" stroke-width="{width}" '
                          f'stroke-linejoin="round" stroke-linecap="round"{more}/>')

    def box(self, at, size, colours, axes=(X, Y, Z)):
        """The three faces that are seen: front (-y), right (+x), top (+z)."""
        e = [tuple(s / 2 * c for c in a) for s, a in zip(size, axes)]

        def corner(i, j, k):
            return add(add(add(at, e[0], i), e[1], j), e[2], k)
        self.path([corner(*c) for c in ((-1, -1, -1), (1, -1, -1), (1, -1, 1), (-1, -1, 1))], colours[1])
        self.path([corner(*c) for c in ((1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1))], colours[2])
        self.path([corner(*c) for c in ((-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1))], colours[0])

    def ring(self, at, axis, radius, start=0.0, end=2 * math.pi):
        a = unit(axis)
        u = unit(cross(a, Z) if abs(a[2]) < 0.9 else cross(a, Y))
        v = cross(a, u)
        count = 48
        turns = (start + (end - start) * i / count for i in range(count + 1))
        return [add(add(at, u, radius * math.cos(t)), v, radius * math.sin(t)) for t in turns]

    def cylinder(self, at, axis, length, radius, colours):
        """The hull of its two ends, and the end that is seen."""
        a = unit(axis)
        near, far = add(at, a, length / 2), add(at, a, -length / 2)
        if a[0] - a[1] + a[2] < 0:
            near, far = far, near
        points = [flat(p) for p in self.ring(near, a, radius) + self.ring(far, a, radius)]
        d = "M" + " L".join("%.1f %.1f" % p for p in hull(points)) + " Z"
        self.parts.append(f'<path d="{d}" fill="{colours[1]}" stroke="{LINE}"/>')
        self.path(self.ring(near, a, radius), colours[0])

    def ball(self, at, radius, colour):
        x, y = flat(at)
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{SCALE * radius:.1f}" fill="{colour}" '
                          f'stroke="{LINE}"/>')

    def axis(self, at, axis, length):
        a = unit(axis)
        self.path([add(at, a, -length / 2), add(at, a, length / 2)], stroke=LINE, width=0.8, closed=False,
                  more=' stroke-dasharray="6 3 1.5 3"')

    def head(self, tip, before):
        (x, y), (u, v) = flat(tip), flat(before)
        angle = math.atan2(y - v, x - u)
        wings = " L".join("%.1f %.1f" % (x - 8 * math.cos(angle + s), y - 8 * math.sin(angle + s)) for s in (0.4, -0.4))
        self.parts.append(f'<path d="M{x:.1f} {y:.1f} L{wings} Z" fill="{RED}"/>')

    def slide(self, at, axis, length=0.9):
        a = unit(axis)
        ends = [add(at, a, -length / 2), add(at, a, length / 2)]
        self.path(ends, stroke=RED, width=2, closed=False)
        self.head(ends[1], ends[0]), self.head(ends[0], ends[1])

    def turn(self, at, axis, radius=0.38, start=0.4, end=5.0):
        points = self.ring(at, axis, radius, start, end)
        self.path(points, stroke=RED, width=2, closed=False)
        self.head(points[-1], points[-4])

    def write(self, name):
        text = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
                f'viewBox="0 0 {WIDTH} {HEIGHT}"><rect width="100%" height="100%" fill="#ffffff"/>'
                + "".join(self.parts) + "</svg>\n")
        with open(os.path.join(HERE, f"joint-{name}.svg"), "w", encoding="ascii") as file:
            file.write(text)


def hull(points):
    """Andrew's monotone chain."""
    points = sorted(set(points))

    def half(ordered):
        chain = []
        for p in ordered:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1]) -
                                      (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]
    return half(points) + half(points[::-1])


def draw_fixed(p):
    p.box((-0.6, 0, 0), (1.2, 0.7, 0.7), GREY)
    p.box((0.6, 0, 0), (1.2, 0.7, 0.7), BLUE)


def draw_revolute(p):
    p.box((-1.1, 0, 0), (1.2, 0.5, 0.5), GREY)
    p.cylinder((0, 0, -0.45), Z, 0.4, 0.45, GREY)
    p.box((-0.65, 0, -0.45), (0.8, 0.4, 0.4), GREY)
    p.box((1.0, 0, 0), (1.3, 0.4, 0.4), BLUE)
    p.cylinder((0, 0, 0), Z, 0.5, 0.45, BLUE)
    p.axis((0, 0, 0.2), Z, 2.6)
    p.turn((0, 0, 0.7), Z)


def draw_prismatic(p):
    p.box((0, 0, -0.25), (3.4, 0.5, 0.3), GREY)
    p.box((0.1, 0, 0.2), (0.9, 0.8, 0.6), BLUE)
    p.axis((0, 0, -0.25), X, 4.3)
    p.slide((0.1, 0, 0.9), X, 1.6)


def draw_cylindrical(p):
    p.cylinder((0, 0, 0), X, 3.6, 0.2, GREY)
    p.cylinder((0.1, 0, 0), X, 1.0, 0.48, BLUE)
    p.axis((0, 0, 0), X, 4.5)
    p.slide((0.1, 0, 0.85), X, 1.6)
    p.turn((1.15, 0, 0), X, 0.5)


def draw_screw(p):
    p.cylinder((0, 0, 0), X, 3.6, 0.2, GREY)
    for k in range(-9, 10):
        p.path(p.ring((0.19 * k, 0, 0), add(X, Z, 0.25), 0.21, 1.6, 4.8), stroke="#777777", width=1, closed=False)
    p.cylinder((0.1, 0, 0), X, 0.8, 0.5, BLUE)
    p.slide((0.1, 0, 0.9), X, 1.4)
    p.turn((1.1, 0, 0), X, 0.5)


def draw_universal(p):
    p.box((-1.3, 0, 0), (1.2, 0.4, 0.4), GREY)
    p.box((-0.45, 0.4, 0), (0.9, 0.12, 0.3), GREY)
    p.box((0.45, 0, 0.4), (0.9, 0.3, 0.12), BLUE)
    p.cylinder((0, 0, 0), Y, 0.9, 0.1, GREY)
    p.cylinder((0, 0, 0), Z, 0.9, 0.1, BLUE)
    p.box((0.45, 0, -0.4), (0.9, 0.3, 0.12), BLUE)
    p.box((1.3, 0, 0), (1.0, 0.4, 0.95), BLUE)
    p.box((-0.45, -0.4, 0), (0.9, 0.12, 0.3), GREY)
    p.turn((0, -0.75, 0), Y, 0.3)
    p.turn((0, 0, 0.95), Z, 0.35)


def draw_spherical(p):
    p.box((-1.25, 0, 0), (1.3, 0.5, 0.5), GREY)
    p.ball((-0.1, 0, 0), 0.62, GREY[1])
    p.ball((0, 0, 0), 0.45, BLUE[1])
    p.box((1.2, 0, 0), (1.7, 0.3, 0.3), BLUE)
    p.turn((0, 0, 0.85), Z, 0.4)
    p.turn((0, -0.9, 0), Y, 0.36)
    p.turn((2.0, 0, 0), X, 0.4)


def draw_planar(p):
    p.box((0, 0, -0.4), (3.4, 1.9, 0.2), GREY)
    p.box((0, 0, -0.05), (1.0, 0.8, 0.5), BLUE)
    p.slide((0.0, -0.75, -0.3), X, 1.6)
    p.slide((1.1, 0.1, -0.3), Y, 1.3)
    p.turn((0, 0, 0.6), Z)


def draw_distance(p):
    p.box((-1.4, 0, -0.3), (0.9, 0.7, 0.6), GREY)
    p.box((1.4, 0, 0.35), (0.9, 0.7, 0.6), BLUE)
    p.path([(-0.95, -0.35, -0.2), (0.95, -0.35, 0.4)], stroke=LINE, width=4, closed=False)
    p.ball((-0.95, -0.35, -0.2), 0.11, "#ffffff")
    p.ball((0.95, -0.35, 0.4), 0.11, "#ffffff")


def draw_rolling(p):
    p.box((0, 0, -0.8), (3.8, 0.9, 0.2), GREY)
    p.cylinder((0, 0, 0), Y, 0.5, 0.7, BLUE)
    p.path([(0, -0.25, 0), (0, -0.25, -0.7)], stroke=LINE, width=1, closed=False)
    p.slide((1.35, -0.2, -0.3), X, 0.9)
    p.turn((0, -0.3, 0), Y, 0.4)


def draw_gear(p):
    def wheel(at, radius, teeth, colours, phase):
        points = []
        for i in range(4 * teeth):
            r = radius + (0.09 if i % 4 < 2 else -0.09)
            t = 2 * math.pi * (i + phase) / (4 * teeth)
            points.append(add(add(at, X, r * math.cos(t)), Z, r * math.sin(t)))
        p.path(points, colours[1])
        p.path(p.ring(at, Y, 0.12), "#ffffff")
    wheel((-0.78, 0, -0.15), 0.9, 18, GREY, 0)
    wheel((0.78, 0, 0.17), 0.6, 12, BLUE, 1.6)
    p.turn((-0.78, 0, -0.15), Y, 0.5, 0.4, 4.4)
    p.turn((0.78, 0, 0.17), Y, 0.35, 5.0, 1.0)


def draw_belt(p):
    left, right = (-1.2, 0, 0), (1.2, 0, 0.25)
    points = [flat(q) for q in p.ring(left, Y, 0.42) + p.ring(right, Y, 0.72)]
    d = "M" + " L".join("%.1f %.1f" % q for q in hull(points)) + " Z"
    p.parts.append(f'<path d="{d}" fill="none" stroke="{LINE}" stroke-width="4"/>')
    p.path(p.ring(left, Y, 0.4), GREY[1])
    p.path(p.ring(right, Y, 0.7), BLUE[1])
    p.turn(left, Y, 0.25)
    p.turn(right, Y, 0.45)


def draw_series(p):
    p.box((-1.3, 0, -0.55), (1.3, 0.6, 0.3), GREY)
    p.axis((-0.9, 0, 0.1), Z, 1.7)
    p.cylinder((-0.9, 0, -0.25), Z, 0.25, 0.3, ("#ffffff", "#ffffff"))
    p.path([(-0.9, 0, -0.1), (-0.9, 0, 0.35), (0.0, 0, 0.35)], stroke=LINE, width=2.5, closed=False)
    p.cylinder((0.1, 0, 0.35), Y, 0.5, 0.2, ("#ffffff", "#ffffff"))
    p.axis((0.1, 0, 0.35), Y, 2.2)
    p.path([(0.3, 0, 0.35), (0.8, 0, 0.35)], stroke=LINE, width=2.5, closed=False)
    p.box((1.45, 0, 0.35), (1.1, 0.6, 0.6), BLUE)
    p.turn((-0.9, 0, 0.75), Z, 0.35)
    p.turn((0.1, -0.75, 0.35), Y, 0.33)
    p.slide((0.95, -0.5, 0.0), X, 0.8)


def main():
    for name, function in sorted(globals().items()):
        if name.startswith("draw_"):
            picture = Picture()
            function(picture)
            picture.write(name[len("draw_"):])


main()
