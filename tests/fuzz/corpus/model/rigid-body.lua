-- A free rigid body, Wendlandt & Marsden (1997), section 5.1: inertia diag(1,2,3) and body angular velocity (0,3,4).
-- Energy 33, angular momentum (0,6,12) in space.
title "Free rigid body"
local I1, I2, I3 = param("I1", 1), param("I2", 2), param("I3", 3)

local r = rotation "r"                                   -- unit quaternion w, x, y, z from body to space
local w = r.omega
lagrangian((I1*w.x^2 + I2*w.y^2 + I3*w.z^2)/2)

start { r = {1, 0, 0, 0}, ["r.omega"] = {0, 3, 4} }
local J = r:apply{I1*w.x, I2*w.y, I3*w.z}
observe("Jx", J.x)
observe("Jy", J.y)
observe("Jz", J.z)
-- I1 + I2 = I3: a thin plate. Of mass 6 it has sides 2 and sqrt(2).
draw { box(origin, {2, sqrt(2), 0.06}, r), bar(origin, r:apply{1.3, 0, 0}), bar(origin, r:apply{0, 1, 0}), bar(origin, r:apply{0, 0, 0.8}) }
