-- A hanging chain of N unit bars that resists bending: springs between second neighbours, of a length that wants it straight
-- (SI units). Pinned at the origin, released from rest along a zigzag of 0.1 rad. -D N=10000 is fine.
title "Chain with bending springs"
local N = option("N", 100)
local g, k = param("g", 9.81), param("k", 1000)

local angle = 0.1
local dx, dz = cos(angle), sin(angle)
local places = {origin}
for i = 1, N do
  local a = point("a" .. i)
  places[i + 1] = a
  lagrangian(norm2(a.dot)/2 - g*a.z)
  constraint("bar" .. i, norm2(a - places[i]) - 1)
  if i > 1 then lagrangian(-k/2*(norm(a - places[i - 1]) - 2)^2) end
  start { ["a" .. i] = {i*dx, 0, i % 2 == 1 and dz or 0} }
  draw { bar(places[i], a) }
end
observe("tip_height", places[N + 1].z)
