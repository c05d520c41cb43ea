-- Jay & Simeon, test problem (4.1): the right-hand side is quadratic in the multiplier, so the rates are given in full.
-- Exact solution: y1 = z1 = exp(2t), y2 = z2 = exp(-t), psi = exp(t).
title "Jay-Simeon (4.1)"
local y1, y2 = coordinate "y1", coordinate "y2"
local z1, z2 = momentum(y1), momentum(y2)
local psi = constraint("g", y1*y2^2 - 1)
rate(y1, 2*z1)
rate(y2, -z2)
rate(z1, 2*y1*y2*z1*z2 - y1*z1*z2 + y2*z1*psi^2)
rate(z2, z1 - y1*z2^3 - sqrt(y1)*z1*z2^2*psi)

-- Other states of the manifold can be set, to go on from there: -D a=... -D b=... -D c=... -D d=...
local a, b, c, d = param("a", 1), param("b", 1), param("c", 1), param("d", 1)
start { y1 = a, y2 = b, ["p.y1"] = c, ["p.y2"] = d }
observe("error_y1", y1 - exp(2*time()))
observe("error_y2", y2 - exp(-time()))
observe("error_psi", psi - exp(time()))
draw { ball({y1, y2}) }
