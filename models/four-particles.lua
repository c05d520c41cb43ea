-- Four particles, two rigid bars, two stiff nonlinear springs: Gonzalez (1999), section 4 (dimensionless).
-- H = 2/1.7 = 1.176470588235, momentum (0,0,2), angular momentum (2,-2,0), all conserved.
title "Four particles on two bars"
local m  = {param("m1", 1.0), param("m2", 3.0), param("m3", 2.3), param("m4", 1.7)}
local K1, K2 = param("K1", 100), param("K2", 1000)
local L1, L2 = param("L1", 1.0), param("L2", 1.0)

local q = {}
for i = 1, 4 do
  q[i] = point("q" .. i)
  lagrangian(m[i]/2*norm2(q[i].dot))
end
lagrangian(-K1/4*(norm2(q[1] - q[3]) - 1)^2)
lagrangian(-K2/4*(norm2(q[2] - q[4]) - 1)^2)
constraint("bar1", norm(q[1] - q[2]) - L1)               -- (29): multipliers are the forces in the bars
constraint("bar2", norm(q[3] - q[4]) - L2)

start { q1 = {0, 0, 0}, q2 = {1, 0, 0}, q3 = {0, 1, 0}, q4 = {1, 1, 0},
        ["q4.dot"] = {0, 0, 2/m[4]} }                    -- p4 = (0,0,2), the rest is at rest
observe("spring1", norm(q[1] - q[3]))
observe("spring2", norm(q[2] - q[4]))
draw { bar(q[1], q[2]), bar(q[3], q[4]), spring(q[1], q[3]), spring(q[2], q[4]) }
