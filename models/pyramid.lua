-- Boxes in a pyramid, in the plane: each stands on the two below it, with friction. Where two boxes overlap they touch with a corner of
-- each. All contacts together carry the weight; how they share it is one choice of many. push: a force on the box at the top, to the right.
title "Pyramid"
local rows = option("rows", 3)
local m, g, mu = param("m", 1), param("g", 9.81), param("mu", 0.5)
local a, b     = param("a", 0.5), param("b", 0.25)                     -- half the width and the height of a box
local between, push = param("between", 0.1), param("push", 0)

local boxes, shapes, begin = {}, {}, {}
for k = 1, rows do
  boxes[k] = {}
  for i = 1, rows - k + 1 do
    local name = "b" .. k .. "_" .. i
    local p, phi = point(name, 2), coordinate("turn" .. k .. "_" .. i)
    lagrangian(m/2*norm2(p.dot) + m*(a^2 + b^2)/6*phi.dot^2 - m*g*p.y)
    begin[p], begin[phi] = {(i - 1 + (k - 1)/2)*(2*a + between), b + (k - 1)*2*b}, 0
    boxes[k][i] = {p = p, phi = phi, name = name}
    shapes[#shapes + 1] = box(p, {2*a, 2*b}, phi)
  end
end

-- A corner (x, y) of a box as a place; and a place as seen from a box.
local function corner(q, x, y)
  return q.p.x + x*cos(q.phi) - y*sin(q.phi), q.p.y + x*sin(q.phi) + y*cos(q.phi)
end
local function seen(q, x, y)
  x, y = x - q.p.x, y - q.p.y
  return cos(q.phi)*x + sin(q.phi)*y, cos(q.phi)*y - sin(q.phi)*x
end

for k = 1, rows do
  for i, q in ipairs(boxes[k]) do
    for side, s in ipairs{-1, 1} do
      local name = q.name .. (s < 0 and "left" or "right")
      local x, y = corner(q, s*a, -b)
      if k == 1 then
        contact(name, y, {friction = mu, slide = x})
      else
        local below = boxes[k - 1][i + side - 1]
        local along, up = seen(below, x, y)
        contact(name, up - b, {friction = mu, slide = along})
        along, up = seen(q, corner(below, -s*a, b))
        contact(name .. "_below", -b - up, {friction = mu, slide = along})
      end
    end
  end
end

force(boxes[rows][1].p.x, push)
start(begin)
shapes[#shapes + 1] = ground()
draw(shapes)
