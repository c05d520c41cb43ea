-- A truss of N bays with crossed diagonals swings from its left end, in the plane.
title "Truss"
local N = option("N", 10)
local g = param("g", 9.81)
local a, b = {}, {}
local n = N
local function rod(name, p, q, l) constraint(name, norm2(p-q) - l*l) draw { bar(p, q) } end
for i = 0, n do
  a[i] = i > 0 and point("a" .. i, 2) or vector{0, 0}
  b[i] = point("b" .. i, 2)
  if i > 0 then lagrangian(norm2(a[i].dot)/2 - g*a[i].y) start { ["a" .. i] = {i, 0} } end
  lagrangian(norm2(b[i].dot)/2 - g*b[i].y) start { ["b" .. i] = {i, 1} }
  rod("v" .. i, a[i], b[i], 1)
  if i > 0 then
    rod("t" .. i, b[i-1], b[i], 1) rod("u" .. i, a[i-1], a[i], 1)
    rod("d" .. i, a[i-1], b[i], sqrt(2)) rod("e" .. i, b[i-1], a[i], sqrt(2))
  end
end
