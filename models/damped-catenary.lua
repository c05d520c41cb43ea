-- A chain of N links between two pins at the same height, let go along a V and damped by the air (SI units). It comes to rest in
-- the shape of a catenary: of links, so the horizontal pull is the same in all of them. -D N=10000 is fine.
title "Catenary with damping"
local N    = option("N", 200)
local g, m = param("g", 9.81), param("m", 1)             -- m: mass of the whole chain
local span, length = param("span", 1), param("length", 1.5)
local c    = param("c", 2)                               -- drag, N s/m, of the whole chain

if N % 2 ~= 0 then error("N must be even: the V has a link's end at its tip", 0) end
local right = {span, 0}
local l, depth = length/N, sqrt(length^2 - span^2)/2
local previous, middle = origin, nil
for i = 1, N - 1 do
  local name = "a" .. i
  local a = point(name, 2)
  lagrangian(m/N*(norm2(a.dot)/2 - g*a.y))
  force(a, -c/N*a.dot)
  constraint("link" .. i, norm2(a - previous) - l^2)
  start { [name] = {span*i/N, -depth*(1 - math.abs(1 - 2*i/N))} }
  draw { bar(previous, a) }
  previous = a
  if i == N//2 then middle = a end
end
constraint("link" .. N, norm2(right - previous) - l^2)
draw { bar(previous, right) }
observe("sag", -middle.y)
