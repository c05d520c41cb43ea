-- A plane chain of seven atoms with rigid bonds and Lennard-Jones forces, folded into a hexagon, its ends kicked apart:
-- Seiler (1997), section 7 (dimensionless). H0 = -2369723/1990656 = -1.190423156989455, angular momentum -0.25.
title "Chain molecule"
local N, L, epsilon = 7, param("L", 1), param("epsilon", 0.1)
local s = sqrt(3)/2
local hexagon = {{-1/2, s}, {1/2, s}, {1, 0}, {0, 0}, {-1, 0}, {-1/2, -s}, {1/2, -s}}   -- vertices 3 2 1, centre, 4 5 6

local q = {}
for i = 1, N do
  q[i] = point("q" .. i, 2)
  lagrangian(norm2(q[i].dot)/2)
  start { ["q" .. i] = hexagon[i] }
  for j = 1, i - 1 do
    local u = norm2(q[i] - q[j])^-3                      -- r^-6
    lagrangian(-epsilon*(u^2 - 2*u))                     -- (39)
  end
  if i > 1 then
    constraint("bond" .. i - 1, (norm2(q[i - 1] - q[i]) - L^2)/2)
    draw { bar(q[i - 1], q[i]) }
  end
  draw { ball(q[i]) }
end
start { ["q1.dot"] = {0, 0.25}, ["q7.dot"] = {0, -0.25} }
observe("end_to_end", norm(q[N] - q[1]))
