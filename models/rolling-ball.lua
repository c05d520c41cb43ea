-- A ball that slides, rolls and comes to rest (SI units). It starts with a speed v0 and no spin. While it slides, friction slows it by
-- mu g, and the torque of rolling resistance, rho times the weight, takes a part of what friction turns it with: it rolls after
--   t1 = v0/(g (7/2 mu - 5/2 rho/R)),  with v1 = v0 - mu g t1.
-- From there on it slows down by 5/7 g rho/R, and comes to rest after v1^2/(2 5/7 g rho/R) more, here 2.187 m from where it began.
-- Below the angular velocity `slow` the resistance fades.
title "Rolling ball"
local m, R, g   = param("m", 0.17), param("R", 0.03), param("g", 9.81)
local mu, rho   = param("mu", 0.2), param("rho", 0.001)
local slow, v0  = param("slow", 0.01), param("v0", 1.4)

local c, r = point "c", rotation "r"
lagrangian(m/2*norm2(c.dot) + m*R^2/5*norm2(r.omega) - m*g*c.z)
contact("cloth", c.z - R, {friction = mu, body = {c, r, at = c - vector{0, 0, R}}, roll = {rho, slow}})
start { c = {0, 0, R}, ["c.dot"] = {v0, 0, 0}, r = {1, 0, 0, 0}, ["r.omega"] = {0, 0, 0} }
observe("speed", norm(c.dot))
draw { ball(c, R), bar(c, c + r:apply{0, 0, R}), bar(c, c + r:apply{R, 0, 0}), ground() }
