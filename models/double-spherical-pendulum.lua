-- Wendlandt & Marsden (1997), section 5.2, in SI units. The heights and their rates follow from the constraints.
title "Double spherical pendulum"
local g      = param("g", 9.81)
local m1, m2 = param("m1", 2.0), param("m2", 3.5)
local l1, l2 = param("l1", 4.0), param("l2", 3.0)

local a, b = point "a", point "b"              -- 3 coordinates each: a.x a.y a.z; point("a", 2) for the plane
lagrangian(m1/2*norm2(a.dot) + m2/2*norm2(b.dot) - g*(m1*a.z + m2*b.z))
constraint("rod1", norm2(a) - l1^2)            -- reads: this is zero; returns its multiplier, a symbol (force +G' lambda)
constraint("rod2", norm2(b - a) - l2^2)

start { a = {2.820, 0.025, free(-3)}, b = {5.085, 0.105, free(-5)},     -- free: a guess, solved from the constraints
        ["a.dot"] = {3.381, 2.506, free(0)}, ["b.dot"] = {2.497, 10.495, free(0)} }
draw { bar(origin, a), bar(a, b) }
