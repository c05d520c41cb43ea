-- A ball that falls on a floor and bounces. With e < 1 infinitely many bounces end at a finite time, after which it rests.
title "Bouncing ball"
local m, g = param("m", 1), param("g", 9.81)
local e, z0 = param("e", 0.9), param("z0", 1)

local z = coordinate "z"
lagrangian(m/2*z.dot^2 - m*g*z)
contact("floor", z, {restitution = e})

start { z = z0 }
draw { ground(), ball({0, 0, z + 0.1}, 0.1) }
