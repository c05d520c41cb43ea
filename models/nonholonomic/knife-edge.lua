-- A knife edge (an ice skate) on an inclined plane. Started at rest with a turning rate w it does not slide down: its
-- point of contact runs along a cycloid,
--     x = A (1 - cos(2 w t))/2,   y = A (w t - sin(2 w t)/2),   A = g sin(alpha)/(2 w^2),
-- x pointing down the plane: it goes sideways and falls by A, no more. (Bloch 2003, 1.6; Neimark & Fufaev 1972.)
title "Knife edge on an incline"
local m, I, g, alpha, w = param("m", 1), param("I", 0.3), param("g", 9.81), param("alpha", 0.3), param("w", 2)

local x, y, th = coordinate("x"), coordinate("y"), coordinate("th")
lagrangian(m/2*(x.dot^2 + y.dot^2) + I/2*th.dot^2 + m*g*sin(alpha)*x)
local mu = constraint("blade", x.dot*sin(th) - y.dot*cos(th))

start { x = 0, y = 0, th = 0, ["x.dot"] = 0, ["y.dot"] = 0, ["th.dot"] = w }
observe("sideways_force", mu)
draw { bar({x - 0.2*cos(th), y - 0.2*sin(th)}, {x + 0.2*cos(th), y + 0.2*sin(th)}), ball({x, y}, 0.03) }
