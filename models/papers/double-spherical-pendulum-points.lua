-- The double spherical pendulum of Wendlandt & Marsden (1997), section 5.2, from two places: at t = 0 and a step later, which is set
-- with -D ax=... and so on. As it stands the second place belongs to a step of 0.1 (SI units).
title "Double spherical pendulum from two places"
local g      = param("g", 9.81)
local m1, m2 = param("m1", 2.0), param("m2", 3.5)
local l1, l2 = param("l1", 4.0), param("l2", 3.0)
local ax, ay, az = param("ax", 3.102), param("ay", 0.27), param("az", -2.51)
local bx, by, bz = param("bx", 5.22), param("by", 1.13), param("bz", -4.4)

local a, b = point "a", point "b"
lagrangian(m1/2*norm2(a.dot) + m2/2*norm2(b.dot) - g*(m1*a.z + m2*b.z))
constraint("rod1", norm2(a) - l1^2)
constraint("rod2", norm2(b - a) - l2^2)

start_points { a = {{2.820, 0.025, free(-3)}, {ax, ay, free(az)}}, b = {{5.085, 0.105, free(-5)}, {bx, by, free(bz)}} }
draw { bar(origin, a), bar(a, b) }
