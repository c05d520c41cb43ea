-- A semicircular arch of n voussoirs under its own weight, in the plane: dry joints with friction, the two ends on abutments that do not
-- move. At each joint two corners of a voussoir touch the face of the one before it. All joints together carry the weight; of the thrust
-- only bounds are known. thickness: that of the ring over its middle radius. An arch of many voussoirs thinner than 0.1075 has no line of
-- thrust inside it and falls (Milankovitch 1907); with friction less than about 0.3 it slides.
title "Arch"
local n = option("n", 25)
local m, g, mu = param("m", 1), param("g", 9.81), param("mu", 0.7)     -- m: of all voussoirs
local R, thickness = param("R", 1), param("thickness", 0.15)

local inner, outer = R*(1 - thickness/2), R*(1 + thickness/2)
local half = pi/(2*n)                                                  -- half the angle of a voussoir
local centre = 2/3*(outer^3 - inner^3)/(outer^2 - inner^2)*sin(half)/half
local inertia = (inner^2 + outer^2)/2 - centre^2                       -- over its mass

-- A voussoir: c its centre of mass, phi what it has turned by since the start, angle where it was then.
local ring, shapes, begin = {}, {}, {}
for i = 1, n do
  local c, phi, angle = point("c" .. i, 2), coordinate("turn" .. i), pi - (2*i - 1)*half
  lagrangian(m/n/2*norm2(c.dot) + m/n/2*inertia*phi.dot^2 - m/n*g*c.y)
  ring[i] = {c = c, angle = angle + phi}
  begin[c], begin[phi] = {centre*cos(angle), centre*sin(angle)}, 0
end

-- The place at radius r and angle s from the middle of a voussoir; and a place as seen from there: along the radius, and across to it.
local function place(v, r, s)
  local x, y = r*cos(s) - centre, r*sin(s)
  return v.c.x + x*cos(v.angle) - y*sin(v.angle), v.c.y + x*sin(v.angle) + y*cos(v.angle)
end
local function seen(v, s, x, y)
  local face = v.angle + s
  x, y = x - v.c.x + centre*cos(v.angle), y - v.c.y + centre*sin(v.angle)
  return x*cos(face) + y*sin(face), y*cos(face) - x*sin(face)
end

for i = 1, n + 1 do
  for _, where in ipairs{"in", "out"} do
    local r, name = where == "in" and inner or outer, "joint" .. i .. where
    if i == 1 then
      local x, y = place(ring[1], r, half)
      contact(name, y, {friction = mu, slide = x})
    elseif i <= n then
      local along, across = seen(ring[i - 1], -half, place(ring[i], r, half))
      contact(name, -across, {friction = mu, slide = along})
    else
      local x, y = place(ring[n], r, -half)
      contact(name, y, {friction = mu, slide = x})
    end
  end
end

for i, v in ipairs(ring) do                                             -- once around it
  local outline = {}
  for k = -2, 2 do outline[k + 3], outline[8 - k] = {place(v, outer, k*half/2)}, {place(v, inner, k*half/2)} end
  outline[11] = outline[1]
  shapes[2*i - 1] = path(outline)
  shapes[2*i] = box(v.c, {outer - inner, 2*inner*sin(half)}, v.angle)   -- what is within the faces
end
start(begin)
draw(shapes)
