-- A plane four-bar linkage of uniform bars in gravity (SI units): shortest + longest <= the other two (Grashof), so
-- the crank goes all the way round and the rocker swings. The start of the rocker is solved from the constraints.
title "Four-bar linkage"
local g = param("g", 9.81)
local crank, coupler  = param("crank", 0.1), param("coupler", 0.35)
local rocker, ground  = param("rocker", 0.3), param("ground", 0.4)
local density = param("density", 2)                      -- kg per metre of bar
local omega   = param("omega", 15)                       -- of the crank at the start

local a, b  = point("a", 2), point("b", 2)               -- crank pin and rocker pin
local pivot = {ground, 0}
-- A uniform bar of mass m between ends with velocities u and v: T = m/6 (u.u + u.v + v.v), centre half way.
lagrangian(density/6*(crank*norm2(a.dot) + coupler*(norm2(a.dot) + dot(a.dot, b.dot) + norm2(b.dot)) + rocker*norm2(b.dot)))
lagrangian(-g*density/2*(crank*a.y + coupler*(a.y + b.y) + rocker*b.y))
constraint("crank", norm2(a) - crank^2)
constraint("coupler", norm2(b - a) - coupler^2)
constraint("rocker", norm2(b - pivot) - rocker^2)

start { a = {crank/2, crank*sqrt(3)/2}, b = {free(0.35), free(0.3)},
        ["a.dot"] = {-omega*crank*sqrt(3)/2, omega*crank/2}, ["b.dot"] = {free(0), free(0)} }
local tracer = (a + b)/2 + vector{a.y - b.y, b.x - a.x}/2                         -- a point fixed to the coupler
observe("tracer_x", tracer.x)
observe("tracer_y", tracer.y)
observe("rocker_angle", atan2(b.y, b.x - ground))
draw { bar(origin, a), bar(a, b), bar(b, pivot), bar(a, tracer), bar(b, tracer), ball(tracer) }
