-- Seiler (1997), (12) with its dots put back: q3 has no kinetic energy and stays arbitrary. p3 = 0 and
-- q2 p1 - q1 p2 = 0 are first class: a gauge symmetry, so no method can step this model until gauge() fixes it; it is here for taut check.
title "A singular Lagrangian, first class"
local q1, q2, q3 = coordinate "q1", coordinate "q2", coordinate "q3"
lagrangian((q1.dot - q3*q2)^2/2 + (q2.dot + q3*q1)^2/2)

start { q1 = 1, q2 = 0, q3 = 0, ["q1.dot"] = 1 }
observe("secondary", q2*(q1.dot - q3*q2) - q1*(q2.dot + q3*q1))   -- is zero
draw { ball({q1, q2}) }
