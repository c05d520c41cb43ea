-- One degree of freedom with a mass that depends on the position, L = (1 + q^2) q'^2/2 - q^2/2: the smallest problem on which
-- the midpoint rule (4.1) and the left rule (4.16) of Wendlandt & Marsden (1997) show their orders (dimensionless).
title "Oscillator with variable mass"
local q = coordinate "q"
lagrangian((1 + q^2)*q.dot^2/2 - q^2/2)

start { q = 1, ["q.dot"] = 0 }
draw { ball({q, 0}) }
