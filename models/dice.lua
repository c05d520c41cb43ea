-- A die is thrown: it tumbles over its corners and edges, slides, and comes to rest on a face. Every corner can touch the table, with
-- friction and restitution; at rest four of them carry it, with friction in two directions each: twelve forces for six equations.
-- With -m em the energy never grows.
title "A die"
local m, g, a = param("m", 1), param("g", 9.81), param("a", 0.5)       -- a: half an edge
local e, mu   = param("e", 0.4), param("mu", 0.4)
local wx, wy, wz = param("wx", 3), param("wy", 5), param("wz", -2)

local c, r = point "c", rotation "r"
lagrangian(m/2*norm2(c.dot) + m*a^2/3*norm2(r.omega) - m*g*c.z)
for i = 0, 7 do
  local corner = c + r:apply{i % 2 == 0 and a or -a, i//2 % 2 == 0 and a or -a, i//4 == 0 and a or -a}
  contact("corner" .. i, corner.z, {friction = mu, restitution = e, slide = {corner.x, corner.y}})
end

start { c = {0, 0, 2}, ["c.dot"] = {1, 0.5, 0}, r = {1, 0, 0, 0}, ["r.omega"] = {wx, wy, wz} }
draw { ground(), box(c, {2*a, 2*a, 2*a}, r) }
