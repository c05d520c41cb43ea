-- Jay & Simeon, (4.2) as an inequality: a steel mass on or above the cubic y = b x^3 of Teflon, with nonlinear Coulomb friction while it
-- touches. It falls on the surface (drop > 0), slides down, and lifts off where the surface curves away from it (x < 0).
title "Jay-Simeon (4.2): a mass on or above a cubic"
local m, b, g = param("m", 1), param("b", 0.01), param("g", 9.81)
local cf, rf  = param("cf", 0.1), param("rf", 0.85)
local e, drop = param("e", 0), param("drop", 0)

local y = point("y", 2)
lagrangian(m/2*norm2(y.dot) - m*g*y.y)
local psi = contact("surface", y.y - b*y.x^3, {restitution = e})
force(y, -cf*((1 + 9*b^2*y.x^4)*psi^2)^(rf/2)/norm(y.dot)*y.dot)

start { y = {10, 10 + drop}, ["y.dot"] = {-3.6, -10.8}, [psi] = 1 }
observe("normal_force", sqrt(1 + 9*b^2*y.x^4)*psi)
draw { ball(y) }
