-- A triple pendulum in mixed coordinates, two angles and a point, so the mass matrix depends on q: Man, Gao & Zhong
-- (2020), section 4.3 (dimensionless; y points down as in the paper). H0 = -(5 + sqrt(2)/2).
title "Triple pendulum"
local m1, m2, m3 = param("m1", 1), param("m2", 1), param("m3", 1)
local L, g       = param("L", 1), param("g", 1)

local q1, q2 = coordinate "q1", coordinate "q2"          -- angles of the first two rods from the vertical
local c = point("c", 2)                                  -- the third mass, (q3, q4) of the paper
local b = vector{L*(sin(q1) + sin(q2)), L*(cos(q1) + cos(q2))}
lagrangian(m1/2*L^2*q1.dot^2 + m2/2*L^2*(q1.dot^2 + q2.dot^2 + 2*q1.dot*q2.dot*cos(q1 - q2)) + m3/2*norm2(c.dot))
lagrangian(g*(m1*L*cos(q1) + m2*L*(cos(q1) + cos(q2)) + m3*c.y))
constraint("rod3", norm2(c - b) - L^2)

start { q1 = 0, q2 = 0, c = {L*sqrt(2)/2, L*(2 + sqrt(2)/2)} }   -- at rest
observe("angle3", atan2(c.x - b.x, c.y - b.y))
local knee, hip = {L*sin(q1), -L*cos(q1)}, {b.x, -b.y}
draw { bar(origin, knee), bar(knee, hip), bar(hip, {c.x, -c.y}), ball({c.x, -c.y}) }
