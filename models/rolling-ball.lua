-- A ball that rolls to rest (SI units). It starts with a speed v0 and no spin: it slides until it rolls, with 5/7 v0, after
-- 2 v0/(7 mu g). From there on the torque of rolling resistance, rho times the weight, slows it by 5/7 g rho/R: it comes to rest
-- after v^2/(2 5/7 g rho/R) more. Below the angular velocity `slow` the resistance fades.
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
