-- Newton's cradle with unequal balls that touch: ball k has the mass m/ratio^(k - 1). The first one is let go, and the impact runs
-- through the row: with restitution 1 and impact_law "sequential" (law=sequential) ball by ball, each pair as if it were alone, so that
--   v_k = v (2 ratio/(1 + ratio))^(k - 1) (ratio - 1)/(ratio + 1),   v_N = v (2 ratio/(1 + ratio))^(N - 1).
-- These velocities grow along the row, no pair closes again, and energy and momentum are those before. With law=simultaneous all
-- contacts act at once: balls 2 to N leave together, and the first one by v slower than they, as if they were one ball.
title "Newton's cradle, unequal balls"
local N, law = option("N", 5), option("law", "sequential")
local m, g, ratio = param("m", 1), param("g", 9.81), param("ratio", 2)
local l, r = param("l", 1), param("r", 0.1)
local angle = param("angle", 0.5)
local e  = param("e", 1)

impact_law(law)
local at, shapes = {}, {}
for i = 1, N do
  local name, x, mass = "b" .. i, 2*r*(i - 1), m/ratio^(i - 1)
  local b = point(name, 2)
  lagrangian(mass/2*norm2(b.dot) - mass*g*b.y)
  constraint("rod" .. i, ((b.x - x)^2 + b.y^2 - l^2)/(2*l))
  if i > 1 then contact("c" .. (i - 1), norm(b - at[i - 1]) - 2*r, {restitution = e}) end
  at[i] = b
  if i == 1 then start { [name] = {-l*sin(angle), -l*cos(angle)} }
  else start { [name] = {x, -l} } end
  shapes[i] = ball(b, 0.1)
end
draw(shapes)
