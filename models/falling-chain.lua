-- A chain of N links, held in a zigzag, falls on the ground and comes to rest there. Every ball of it can touch the ground.
title "Chain falling on the ground"
local N  = option("N", 12)
local m, g, l = param("m", 0.1), param("g", 9.81), param("l", 0.1)
local e, height = param("e", 0.2), param("height", 0.5)
local bend, tilt = param("bend", 0.5), param("tilt", 0.1)

local before, shapes = nil, {}
for i = 0, N do
  local a = point("a" .. i, 2)
  lagrangian(m/2*norm2(a.dot) - m*g*a.y)
  if before then
    constraint("link" .. i, (norm2(a - before) - l^2)/(2*l))
    shapes[i] = bar(before, a)
  end
  contact("ground" .. i, a.y, {restitution = e})
  local x, y = l*cos(bend)*i, l*sin(bend)*(i % 2)
  start { ["a" .. i] = {x*cos(tilt) - y*sin(tilt), height + x*sin(tilt) + y*cos(tilt)} }
  before = a
end
shapes[#shapes + 1] = ground()
draw(shapes)
