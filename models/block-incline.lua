-- A block on an incline of angle alpha, thrown uphill with speed v0. It slows down, and stays where it stops if tan(alpha) < mu;
-- otherwise it slides back. Closed form in tests/test_core_contact_friction.c.
title "Block on an incline"
local m, g  = param("m", 2), param("g", 9.81)
local alpha = param("alpha", 0.4)
local mu    = param("mu", 0.5)
local v0    = param("v0", 3)

local a = point("a", 2)
lagrangian(m/2*norm2(a.dot) - m*g*a.y)
contact("incline", a.y*cos(alpha) - a.x*sin(alpha), {friction = mu})

start { a = {0, 0}, ["a.dot"] = {v0*cos(alpha), v0*sin(alpha)} }
observe("distance", a.x*cos(alpha) + a.y*sin(alpha))
draw { plane(origin, {-sin(alpha), cos(alpha)}),
       box({a.x - 0.1*sin(alpha), a.y + 0.1*cos(alpha)}, {0.3, 0.2}, alpha):colour "blue" }
