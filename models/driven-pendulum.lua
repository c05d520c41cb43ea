-- Kapitza's pendulum, in SI units: it stands on its head because its pivot shakes, 2 cm up and down at 200 rad/s. Upright is
-- stable when (A w)^2 > 2 g l, here 16 > 3.9; the slow swing has a period of about 0.5 s. -D w=90 lets it fall.
title "Kapitza's pendulum"
local m, g, l = param("m", 0.1), param("g", 9.81), param("l", 0.2)
local A, w    = param("A", 0.02), param("w", 200)

local a = point("a", 2)
local pivot = vector{0, A*cos(w*time())}
lagrangian(m/2*norm2(a.dot) - m*g*a.y)
local lambda = constraint("rod", norm2(a - pivot) - l^2)

start { a = {l*sin(0.3), A + l*cos(0.3)} }               -- 0.3 rad off upright, at rest like the pivot at t = 0
observe("angle", atan2(a.x, a.y - pivot.y))             -- from upright
observe("tension", -2*l*lambda)
draw { bar(pivot, a), ball(a) }
