-- A bead on a horizontal wire, held by a nonlinear spring, with a pendulum hanging from it: Man, Gao & Zhong (2020),
-- section 4.2 (dimensionless; y points down as in the paper). H0 = -sqrt(2)/2.
title "Nonlinear spring pendulum"
local m1, m2 = param("m1", 1), param("m2", 1)
local l, g   = param("l", 1), param("g", 1)

local a, b = point("a", 2), point("b", 2)                -- (q1, q2) and (q3, q4) of the paper
lagrangian(m1/2*norm2(a.dot) + m2/2*norm2(b.dot) - a.x^2/2 - a.x^4/2 + m2*g*b.y)
constraint("wire", a.y)
constraint("rod", norm2(b - a) - l^2)

start { a = {0, 0}, b = {l*sqrt(2)/2, l*sqrt(2)/2} }     -- at rest
observe("angle", atan2(b.x - a.x, b.y - a.y))
observe("spring_energy", a.x^2/2 + a.x^4/2)
draw { spring({0, 0}, a), bar({a.x, -a.y}, {b.x, -b.y}), ball({b.x, -b.y}) }
