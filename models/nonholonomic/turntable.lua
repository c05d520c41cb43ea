-- A homogeneous ball rolls without slipping on a turntable that turns with the rate Omega. Its centre runs round a circle
-- with the rate 2/7 Omega, wherever and however it started (Milne 1948; Bloch 2003, 7.3): with J = k m r^2 the rate is
-- k/(1 + k) Omega, and k = 2/5.
title "Ball on a turntable"
local m, r, k = param("m", 1), param("r", 0.1), param("k", 0.4)
local Omega = param("Omega", 3)
local g = param("g", 9.81)

local c, b = point("c"), rotation("b")
local J = k*m*r^2
lagrangian(m/2*norm2(c.dot) + J/2*norm2(b.omega) - m*g*c.z)
constraint("table", c.z - r)
local w = b:apply(b.omega)                             -- in the axes of space
-- the velocity of the ball's lowest place is that of the table below it
constraint("roll_x", c.dot.x - w.y*r + Omega*c.y)
constraint("roll_y", c.dot.y + w.x*r - Omega*c.x)

start { c = {0.5, 0, r}, b = {1, 0, 0, 0}, ["c.dot"] = {0.1, 0.3, 0},
        ["b.omega"] = {(Omega*0.5 - 0.3)/r, 0.1/r, 2} }
observe("spin", w.z)
draw { ground(), ball(c, 0.1) }
