-- The free rigid body of Wendlandt & Marsden (1997), section 5.1, from two places: the quaternion at t = 0 and a step later, as
-- their discrete Euler-Lagrange equations start. The second place is set with -D w=... -D x=... -D y=... -D z=...; as it stands
-- it is (1, 0, 3/2, 2)*1e-5 beside (1, 0, 0, 0), normalised: a step of 1e-5 with body angular velocity (0, 3, 4).
title "Free rigid body from two places"
local I1, I2, I3 = param("I1", 1), param("I2", 2), param("I3", 3)
local w, x, y, z = param("w", 1), param("x", 0), param("y", 1.5e-5), param("z", 2e-5)

local r = rotation "r"
local omega = r.omega
lagrangian((I1*omega.x^2 + I2*omega.y^2 + I3*omega.z^2)/2)

local length = sqrt(w^2 + x^2 + y^2 + z^2)
start_points { r = {{1, 0, 0, 0}, {w/length, x/length, y/length, z/length}} }
draw { bar(origin, r:apply{1, 0, 0}), bar(origin, r:apply{0, 1, 0}), bar(origin, r:apply{0, 0, 1}) }
