-- A truss of N square bays hangs by one corner and swings, in the plane (SI units). Either diagonal would hold a bay: with both,
-- one bar of every bay depends on the others. The motion is that of a rigid body; the forces in a bay are shared.
title "Truss"
local N = option("N", 6)
local g = param("g", 9.81)

local function joint(name, x, y)
  local p = point(name, 2)
  lagrangian(norm2(p.dot)/2 - g*p.y)
  start { [name] = {x, y} }
  return p
end
local function rod(name, p, q, square)
  constraint(name, norm2(p - q) - square)
  draw { bar(p, q) }
end

local lower, upper = vector{0, 0}, joint("b0", 0, 1)
rod("v0", lower, upper, 1)
for i = 1, N do
  local a, b = joint("a" .. i, i, 0), joint("b" .. i, i, 1)
  rod("u" .. i, lower, a, 1)
  rod("t" .. i, upper, b, 1)
  rod("v" .. i, a, b, 1)
  rod("d" .. i, lower, b, 2)
  rod("e" .. i, upper, a, 2)
  lower, upper = a, b
end
