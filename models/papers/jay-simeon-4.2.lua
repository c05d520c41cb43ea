-- Jay & Simeon, (4.2): a steel mass sliding on a Teflon cubic with nonlinear Coulomb friction, in SI units. The multiplier
-- psi is the normal force up to a factor; it stays positive on [0,1], so the mass does not lift off.
title "Jay-Simeon (4.2): friction on a cubic"
local m, b, g  = param("m", 1), param("b", 0.01), param("g", 9.81)
local cf, rf   = param("cf", 0.1), param("rf", 0.85)

local y1, y2 = coordinate "y1", coordinate "y2"
local z1, z2 = momentum(y1), momentum(y2)                -- here the velocities
local psi = constraint("surface", y2 - b*y1^3)
local friction = cf*((1 + 9*b^2*y1^4)*psi^2)^(rf/2)/sqrt(z1^2 + z2^2)
rate(y1, z1)
rate(y2, z2)
rate(z1, (-3*b*y1^2*psi - friction*z1)/m)
rate(z2, -g + (psi - friction*z2)/m)

start { y1 = 10, y2 = 10, ["p.y1"] = -3.6, ["p.y2"] = -10.8, [psi] = 1 }
observe("normal_force", sqrt(1 + 9*b^2*y1^4)*psi)
observe("speed", sqrt(z1^2 + z2^2))
draw { ball({y1, y2}) }
