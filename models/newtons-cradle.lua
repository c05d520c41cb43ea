-- Newton's cradle: N balls that touch, hung on rods; the first one is let go at an angle. The impact runs through the row ball by
-- ball (impact_law "sequential"). All at once, by one complementarity problem, every ball would move.
title "Newton's cradle"
local N  = option("N", 5)
local m, g = param("m", 1), param("g", 9.81)
local l, r = param("l", 1), param("r", 0.1)
local angle = param("angle", 0.5)
local e  = param("e", 1)

impact_law "sequential"
local at, shapes = {}, {}
for i = 1, N do
  local name, x = "b" .. i, 2*r*(i - 1)
  local b = point(name, 2)
  lagrangian(m/2*norm2(b.dot) - m*g*b.y)
  constraint("rod" .. i, ((b.x - x)^2 + b.y^2 - l^2)/(2*l))
  if i > 1 then contact("c" .. (i - 1), norm(b - at[i - 1]) - 2*r, {restitution = e}) end
  at[i] = b
  if i == 1 then start { [name] = {-l*sin(angle), -l*cos(angle)} }
  else start { [name] = {x, -l} } end
  shapes[#shapes + 1] = ball(b, r)
  shapes[#shapes + 1] = bar({x, 0}, b)
end
draw(shapes)
