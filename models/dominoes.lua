-- A row of n dominoes, in the plane. The first one is tilted beyond its balance: it falls against the next, and so on; in the end each
-- leans on the next and the last one lies flat. A domino stands on its two lower corners. Its upper right corner meets the left side of
-- the next one, whose lower left corner meets its right side when the two lie close together.
title "Dominoes"
local n    = option("n", 6)
local m, g = param("m", 1), param("g", 9.81)
local w, h = param("w", 0.15), param("h", 1)                           -- of a domino
local between = param("between", 0.4)
local tilt = param("tilt", 0.17)                                       -- balance: tan(tilt) = w/h
local mu, rub = param("mu", 0.5), param("rub", 0.2)                    -- friction on the floor, and between dominoes
local e    = param("e", 0)

-- A domino as a body: the place of a corner (x, y of its middle), and a place as seen from it.
local function corner(d, x, y)
  return d.c.x + x*cos(d.phi) - y*sin(d.phi), d.c.y + x*sin(d.phi) + y*cos(d.phi)
end
local function seen(d, x, y)
  x, y = x - d.c.x, y - d.c.y
  return cos(d.phi)*x + sin(d.phi)*y, cos(d.phi)*y - sin(d.phi)*x
end

local row, shapes, begin = {}, {}, {}
for i = 1, n do
  local c, phi = point("d" .. i, 2), coordinate("turn" .. i)
  lagrangian(m/2*norm2(c.dot) + m*(w^2 + h^2)/24*phi.dot^2 - m*g*c.y)
  row[i] = {c = c, phi = phi}
  local a, x = i == 1 and tilt or 0, (i - 1)*(between + w) + w/2       -- about its lower right corner
  begin[c], begin[phi] = {x + h/2*sin(a) - w/2*cos(a), h/2*cos(a) + w/2*sin(a)}, -a
  shapes[i] = box(c, {w, h}, phi)
end

local function floor(name, x, y) contact(name, y, {friction = mu, slide = x, restitution = e}) end
for i, d in ipairs(row) do
  floor("left" .. i, corner(d, -w/2, -h/2))
  floor("right" .. i, corner(d, w/2, -h/2))
  if i == n then break end
  local next = row[i + 1]
  local along, up = seen(next, corner(d, w/2, h/2))
  contact("hits" .. i, -w/2 - along, {friction = rub, slide = up, restitution = e})
  along, up = seen(d, corner(next, -w/2, -h/2))
  contact("lies" .. i, along - w/2, {friction = rub, slide = up, restitution = e})
end
floor("top", corner(row[n], w/2, h/2))

start(begin)
shapes[#shapes + 1] = path { {-w, 0}, {n*(between + w) + h, 0} }
draw(shapes)
