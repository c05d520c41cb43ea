-- A billiard ball struck with side and back spin (SI units): it slides on the cloth, curves, and rolls once the point of contact
-- rests. Dry friction, smoothed: a slip of a millimetre per second counts as rolling. The path while it slides is a parabola:
-- the direction of slip stays, and slip falls by (7/2) mu g per second.
title "Billiard ball"
local m, R, g  = param("m", 0.17), param("R", 0.02625), param("g", 9.81)
local mu, slow = param("mu", 0.2), param("slow", 0.001)
local v0       = param("v0", 1.5)

local c, r = point "c", rotation "r"
lagrangian(m/2*norm2(c.dot) + m*R^2/5*norm2(r.omega) - m*g*c.z)
local normal = constraint("cloth", c.z - R)

-- Friction acts at the point of contact, R below the centre: a force on the centre and a torque.
local spin = r:apply(r.omega)
local slip = vector{c.dot.x - R*spin.y, c.dot.y + R*spin.x, 0}
local friction = -mu*normal/sqrt(norm2(slip) + slow^2)*slip
force(c, friction)
torque(r, cross({0, 0, -R}, friction))

start { c = {0, 0, R}, ["c.dot"] = {v0, 0, 0}, r = {1, 0, 0, 0}, ["r.omega"] = {60, -40, 80} }
observe("slip", norm(slip))
observe("spin_x", spin.x)
observe("spin_y", spin.y)
draw { ball(c, R), bar(c, c + r:apply{0, 0, R}), bar(c, c + r:apply{R, 0, 0}) }
