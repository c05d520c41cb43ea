-- A gyroscope on a pivot, in SI units: a disc of mass m and radius R at height h on a light axle, tilted by 60 degrees, spun
-- and let go. It nutates in cusps and precesses at about m g h/(I3 spin) = 3.1 rad/s.
title "Heavy top"
local m, R, h, g = param("m", 0.2), param("R", 0.05), param("h", 0.06), param("g", 9.81)
local spin, tilt = param("spin", 150), pi/3
local I1, I3     = m*R^2/4 + m*h^2, m*R^2/2              -- about the pivot

local r = rotation "r"
local w, centre = r.omega, r:apply{0, 0, h}
lagrangian((I1*(w.x^2 + w.y^2) + I3*w.z^2)/2 - m*g*centre.z)

start { r = {cos(tilt/2), sin(tilt/2), 0, 0}, ["r.omega"] = {0, 0, spin} }     -- turned about x, spun about its own axis
local J = r:apply{I1*w.x, I1*w.y, I3*w.z}
observe("tilt", acos(centre.z/h))
observe("Jz", J.z)                                       -- conserved, as is w.z
observe("spin", w.z)
draw { bar(origin, r:apply{0, 0, 1.6*h}), disc(centre, {R, 0.15*R}, r), ball(r:apply{0, 0, 1.6*h}, 0.05*R),
       bar(r:apply{0.3*R, 0, 1.06*h}, r:apply{0.9*R, 0, 1.06*h}) }                -- a mark on the disc shows its turning
