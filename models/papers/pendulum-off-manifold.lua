-- The pendulum of Seiler (1997) from a state off its constraints, in his coordinates (60): angle xi from the top and its momentum pi, and the
-- residuals zeta of the position and rho of the momentum constraint. As it stands they are zero; -D zeta=0.1 -D rho=0.2 with
-- naive, extended or dirac and --start as-is shows what each formulation makes of a residual.
title "Pendulum off its constraints"
local xi, pi_, zeta, rho = param("xi", 1), param("pi", 0.5), param("zeta", 0), param("rho", 0)

local a = point("a", 2)
lagrangian(norm2(a.dot)/2 - a.y)
constraint("rod", (norm2(a) - 1)/2)

local r = sqrt(2*zeta + 1)
start { a = {r*sin(xi), r*cos(xi)}, ["a.dot"] = {(rho*sin(xi) + pi_*cos(xi))/r, (rho*cos(xi) - pi_*sin(xi))/r} }
observe("xi", atan2(a.x, a.y))
observe("pi", a.dot.x*a.y - a.dot.y*a.x)
observe("zeta", (norm2(a) - 1)/2)
observe("rho", dot(a, a.dot))
draw { bar(origin, a), ball(a) }
