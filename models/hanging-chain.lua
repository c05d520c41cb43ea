-- A chain of N unit bars and unit masses, pinned at the origin, released from rest along +x (SI units). -D N=1000000 is
-- fine: every link is its own summand, constraint and start, so that a link costs the same in a long chain.
title "Hanging chain"
local N = option("N", 100)
local g = param("g", 9.81)

local previous = origin
for i = 1, N do
  local a = point("a" .. i)
  lagrangian(norm2(a.dot)/2 - g*a.z)
  constraint("bar" .. i, norm2(a - previous) - 1)
  start { ["a" .. i] = {i, 0, 0} }
  draw { bar(previous, a) }
  previous = a
end
observe("tip_height", previous.z)
observe("tip_speed", norm(previous.dot))
